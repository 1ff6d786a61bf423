import type { Role } from '../entities.ts'
import { defineKind, type Kind, type Rule } from '../kind.ts'

/** A person in an account. Key: `<account>/<e-mail in lower case>`. */
export interface Member {
  readonly account: string
  readonly email: string
  readonly role: Role
  /** Ids of the groups that limit the lines the member sees; empty: no limit. */
  readonly groups: readonly string[]
  /** UUID of the person. */
  readonly subjectId: string
  readonly createdAtMs: number
}

/** A group that limits its members to some lines. Key: ten hexadecimal digits. */
export interface AccessGroup {
  readonly account: string
  readonly name: string
  /** A search query; empty: members see no lines. */
  readonly accessScopes: string
  readonly createdAtMs: number
}

/** One user may remove a group while another assigns it to a member: the order on the log decides. */
const groupsExist: Rule<Member> = ({ after }, view) => {
  const isThere = (id: string) => view.get(accessGroups, id)?.value.account === after?.account
  const missing = after?.groups.filter(id => !isThere(id)) ?? []
  if (missing.length === 0) return undefined
  return { code: 'UNKNOWN_GROUP', message: `the account has no group ${missing.join(', ')}` }
}

/** A member without the last group would see all lines or none, although no one decided this. */
const groupIsFree: Rule<AccessGroup> = ({ id, before, after }, view) => {
  if (before === undefined || after !== undefined) return undefined
  const limited = view.list(members, before.account).filter(({ value }) => value.groups.includes(id))
  if (limited.length === 0) return undefined
  const emails = limited.map(({ value }) => value.email).join(', ')
  return { code: 'GROUP_IN_USE', message: `members are in the group: ${emails}` }
}

const ofAccount = (value: { readonly account: string }) => value.account

export const members: Kind<Member> = defineKind('member', { account: ofAccount, rules: [groupsExist] })
export const accessGroups: Kind<AccessGroup> = defineKind('group', {
  account: ofAccount,
  isUserSized: true,
  rules: [groupIsFree],
})

export function memberKey(account: string, email: string): string {
  return `${account}/${email.toLowerCase()}`
}
