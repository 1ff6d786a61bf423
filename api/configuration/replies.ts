import Type from 'typebox'
import { named } from '../../schemas/named.ts'

export const DeletedReply = named('Deleted', Type.Object({ deleted: Type.Literal(true) }))

export const DeletedWithMessageReply = named(
  'DeletedWithMessage',
  Type.Object({ message: Type.String(), deleted: Type.Literal(true) }),
)
