import { members } from './entities.ts'
import { defineKind } from './kind.ts'

/** Lines that some members are limited to. Key: ten hexadecimal digits. */
export interface AccessGroup {
  readonly account: string
  readonly name: string
  /** A search query; empty: no line. */
  readonly accessScopes: string
  readonly createdAtMs: number
}

export const accessGroups = defineKind<AccessGroup>('group', {
  account: ({ account }) => account,
  rules: [
    // A member whose last group went would see everything, or nothing, without anybody having said so.
    ({ id, before, after }, view) => {
      if (before === undefined || after !== undefined) return undefined
      const limited = view.list(members, before.account).filter(({ value }) => value.groups.includes(id))
      if (limited.length === 0) return undefined
      const emails = limited.map(({ value }) => value.email).join(', ')
      return { code: 'GROUP_IN_USE', message: `members are in the group: ${emails}` }
    },
  ],
})
