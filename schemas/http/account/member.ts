import Type from 'typebox'
import { named } from '../../named.ts'

/** Members of an account (configuration and account API, section 10). */

export const MAX_EMAIL_CHARACTERS = 320

const GivenRole = Type.Enum(['admin', 'member', 'readonly'])
/** The queries of all of a member's groups restrict each of their searches. */
export const MAX_GROUPS = 100
const GroupIds = Type.Array(Type.String(), {
  maxItems: MAX_GROUPS,
  description: 'Ids of groups that limit the lines a member sees; only for the role member',
})

export const MemberCreate = named(
  'MemberCreate',
  Type.Object({
    email: Type.String({ minLength: 1, format: 'email', maxLength: MAX_EMAIL_CHARACTERS }),
    role: GivenRole,
    groups: Type.Optional(GroupIds),
  }),
)
export type MemberCreate = Type.Static<typeof MemberCreate>

/** Members that a request leaves out keep their values; an e-mail address is ignored. */
export const MemberChange = named(
  'MemberChange',
  Type.Object({
    role: Type.Optional(GivenRole),
    groups: Type.Optional(GroupIds),
  }),
)
export type MemberChange = Type.Static<typeof MemberChange>

export const MemberRecord = named(
  'MemberRecord',
  Type.Object({
    email: Type.String(),
    role: Type.Enum(['owner', 'admin', 'member', 'readonly']),
    groups: Type.Array(Type.String()),
  }),
)
export type MemberRecord = Type.Static<typeof MemberRecord>
