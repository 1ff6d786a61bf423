import Type from 'typebox'
import { named } from '../../named.ts'
import { EnvelopeOf } from '../envelope.ts'
import { V3_ERROR_REPLIES } from '../error-replies.ts'

/** Parts of the routes below `/v3/pipeline` that many of them share. */

/** Parameters of the path of a pipeline. */
export const PipelinePath = Type.Object({ pipelineId: Type.String() })

const DeletedRecord = named('DeletedRecord', Type.Object({ id: Type.String(), deleted: Type.Literal(true) }))

/** Answers to the deletion of a record. */
export const Deleted = { 200: EnvelopeOf(DeletedRecord), ...V3_ERROR_REPLIES }
