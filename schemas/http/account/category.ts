import Type from 'typebox'
import { named } from '../../named.ts'

export const CATEGORY_TYPES = ['views', 'boards', 'screens'] as const
export type CategoryType = (typeof CATEGORY_TYPES)[number]

export const CategoryWrite = named('CategoryWrite', Type.Object({ name: Type.String({ minLength: 1 }) }))
export type CategoryWrite = Type.Static<typeof CategoryWrite>

export const CategoryRecord = named(
  'CategoryRecord',
  Type.Object({
    id: Type.String(),
    type: Type.Enum([...CATEGORY_TYPES]),
    name: Type.String(),
  }),
)
export type CategoryRecord = Type.Static<typeof CategoryRecord>

/** Names of categories, as views and boards carry them. */
export const CategoryNames = named(
  'CategoryNames',
  Type.Array(Type.String({ minLength: 1 }), {
    description: 'Names of categories, case-insensitive.',
  }),
)
