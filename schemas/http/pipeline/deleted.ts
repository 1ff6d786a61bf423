import Type from 'typebox'
import { named } from '../../named.ts'
import { EnvelopeOf } from '../envelope.ts'
import { V3_ERROR_REPLIES } from '../error-replies.ts'

const DeletedRecord = named('DeletedRecord', Type.Object({ id: Type.String(), deleted: Type.Literal(true) }))

/** Answers to the deletion of a record of `/v3/pipeline`. */
export const Deleted = { 200: EnvelopeOf(DeletedRecord), ...V3_ERROR_REPLIES }
