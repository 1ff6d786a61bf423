import Type from 'typebox'
import type { Keywords } from '../../keywords.ts'
import { named } from '../../named.ts'

/** Groups of members (configuration and account API, section 11). */

const SEARCH_QUERY: Keywords = { searchQuery: true }

const members = {
  name: Type.String({ minLength: 1, maxLength: 120 }),
  accessScopes: Type.Optional(
    Type.String({
      ...SEARCH_QUERY,
      default: '',
      description: 'Search query for the lines that members of the group see. Empty: none',
    }),
  ),
}

export const AccessGroupCreate = named('AccessGroupCreate', Type.Object(members))
export type AccessGroupCreate = Type.Static<typeof AccessGroupCreate>

/** Members that a request leaves out keep their values. */
export const AccessGroupChange = named('AccessGroupChange', Type.Partial(AccessGroupCreate))
export type AccessGroupChange = Type.Static<typeof AccessGroupChange>

export const AccessGroupRecord = named(
  'AccessGroupRecord',
  Type.Object({
    id: Type.String(),
    account: Type.String(),
    name: Type.String(),
    accessScopes: Type.String(),
  }),
)
export type AccessGroupRecord = Type.Static<typeof AccessGroupRecord>
