import {
  type ConfigurationLog,
  create,
  remove,
  replace,
} from '../../engine/configuration/configuration-log.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { accessGroups, type Member, memberKey, members } from '../../engine/configuration/kinds/members.ts'
import {
  MAX_EMAIL_CHARACTERS,
  MAX_GROUPS,
  type MemberChange,
  type MemberCreate,
} from '../../schemas/http/account/member.ts'
import { isJsonObject } from '../../schemas/json.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { authorOf } from '../configuration/author.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { ApiError, badRequest, notFound, type ValidationDetail } from '../http/errors.ts'
import { untilNotOvertaken } from '../http/overtaken.ts'
import { isEmail } from '../http/validation.ts'

type Ports = Pick<ConfigurationPorts, 'configuration' | 'clock' | 'entropy'>

/**
 * The members of all accounts; every method sees those of the caller's account only. Addresses are compared in lower
 * case.
 */
export class Members {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /**
   * Returns the findings about the groups of a body beyond those of its schema: members of it may have any type. An
   * unknown role adds none, and only the first `MAX_GROUPS` groups are looked up.
   */
  groupDetails(caller: Caller, body: unknown): ValidationDetail[] {
    const { role, groups } = isJsonObject(body) ? body : {}
    if (!Array.isArray(groups)) return []
    const { shortId: account } = accountOf(caller)
    const details = groups.slice(0, MAX_GROUPS).flatMap((id, at) => {
      if (typeof id !== 'string' || this.#configuration.get(accessGroups, id)?.value.account === account)
        return []
      return [{ message: `"groups[${at}]" must be the id of a group of the account`, key: `groups[${at}]` }]
    })
    if (groups.length === 0 || (role !== 'admin' && role !== 'readonly')) return details
    return [...details, { message: '"groups" must be empty unless the role is member', key: 'groups' }]
  }

  /** Returns the members of the caller's account, oldest first. */
  list(caller: Caller): Member[] {
    return this.#configuration.list(members, accountOf(caller).shortId).map(({ value }) => value)
  }

  /** @throws ApiError 404 */
  get(caller: Caller, email: string): Member {
    return this.#entity(caller, email).value
  }

  /** @throws ApiError 400, 409 */
  async create(caller: Caller, { email: sent, role, groups = [] }: MemberCreate): Promise<Member> {
    const { clock, entropy } = this.#ports
    const author = authorOf(caller)
    const { account } = author
    const email = sent.toLowerCase()
    if (this.#find(caller, email) !== undefined)
      throw new ApiError(409, 'Conflict', `${email} is a member already`)
    const subjectId = entropy.uuid()
    this.#assertGroups(caller, { role, groups })
    const createdAtMs = clock.wallMs()
    const member: Member = { account, email, role, groups: eachOnce(groups), subjectId, createdAtMs }
    await this.#configuration.append([create(members, memberKey(account, email), member)], author)
    return member
  }

  /**
   * Changes a member; omitted members of the body stay as they are. An unknown person becomes a member if a role is
   * given.
   *
   * @throws ApiError 400, 404
   */
  change(caller: Caller, email: string, change: MemberChange): Promise<Member> {
    return untilNotOvertaken(async () => {
      const before = this.#find(caller, email)
      if (before === undefined) return this.#createNamed(caller, email, change)
      assertNotOwner(before.value, 'changed')
      const role = change.role ?? before.value.role
      const groups = change.groups ?? before.value.groups
      if (change.groups === undefined && role !== 'member' && groups.length > 0)
        throw badRequest([
          { message: `"groups" must be [] with the role ${role}: send "groups":[]`, key: 'groups' },
        ])
      this.#assertGroups(caller, { role, groups })
      const member: Member = { ...before.value, role, groups: eachOnce(groups) }
      await this.#configuration.append([replace(members, before, member)], authorOf(caller))
      return member
    })
  }

  /** Removes a member, and ends their personal tokens for the account. @throws ApiError 400, 404 */
  delete(caller: Caller, email: string): Promise<Member> {
    return untilNotOvertaken(async () => {
      const member = this.#entity(caller, email)
      assertNotOwner(member.value, 'deleted')
      await this.#configuration.append([remove(members, member)], authorOf(caller))
      return member.value
    })
  }

  #createNamed(caller: Caller, email: string, { role, groups = [] }: MemberChange): Promise<Member> {
    if (role === undefined) throw notFound()
    if (!isEmail(email) || email.length > MAX_EMAIL_CHARACTERS) {
      const wrongEmail = { message: '"email" must be a valid email', key: 'email' }
      throw badRequest([wrongEmail, ...this.groupDetails(caller, { role, groups })])
    }
    return this.create(caller, { email, role, groups })
  }

  #entity(caller: Caller, email: string): Entity<Member> {
    const member = this.#find(caller, email)
    if (member === undefined) throw notFound()
    return member
  }

  /** @throws ApiError 400 */
  #assertGroups(caller: Caller, given: Pick<Member, 'role' | 'groups'>): void {
    const details = this.groupDetails(caller, given)
    if (details.length > 0) throw badRequest(details)
  }

  #find(caller: Caller, email: string): Entity<Member> | undefined {
    return this.#configuration.get(members, memberKey(accountOf(caller).shortId, email))
  }

  get #configuration(): ConfigurationLog {
    return this.#ports.configuration
  }
}

function eachOnce(groups: readonly string[]): string[] {
  return [...new Set(groups)]
}

function assertNotOwner({ role, email }: Member, done: 'changed' | 'deleted'): void {
  if (role === 'owner')
    throw new ApiError(400, 'BadRequest', `${email} is the owner of the account, who cannot be ${done} here`)
}
