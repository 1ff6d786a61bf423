import Type from 'typebox'
import { named } from '../../named.ts'

/** Answers to a deletion. */

export const Deleted = named('Deleted', Type.Object({ deleted: Type.Literal(true) }))

export const DeletedWithMessage = named(
  'DeletedWithMessage',
  Type.Object({ message: Type.String(), deleted: Type.Literal(true) }),
)
