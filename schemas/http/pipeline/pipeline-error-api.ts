import Type from 'typebox'
import { named } from '../../named.ts'
import { TIME_FORMS } from '../time-forms.ts'

/** Queries and answers of `/v3/pipeline/{id}/error` and `/v3/pipeline/error` (components, section 4.1). The shapes are Weir's own. */

const periodMembers = {
  from: Type.Optional(
    Type.String({
      format: 'point in time',
      description: `Errors reported at this time or later: ${TIME_FORMS}. Default: one day before \`to\`, or before now.`,
    }),
  ),
  to: Type.Optional(
    Type.String({
      format: 'point in time',
      description: 'Errors reported before this time, in the same forms.',
    }),
  ),
}

const pipelineMember = {
  pipeline_id: Type.Optional(Type.String({ description: 'Only errors of this pipeline.' })),
}

const entryMembers = {
  node_id: Type.Optional(Type.String({ description: 'Only errors of this node.' })),
  code: Type.Optional(Type.String({ description: 'Only errors with this code.' })),
  ...periodMembers,
  limit: Type.Optional(
    Type.String({
      pattern: '^([1-9][0-9]?|1[0-9][0-9]|200)$',
      default: '100',
      description: 'Maximum number of entries, 1 to 200.',
    }),
  ),
}

/** Query of `/v3/pipeline/error`. */
export const AllPipelineErrorsQuery = named(
  'AllPipelineErrorsQuery',
  Type.Object({ ...pipelineMember, ...entryMembers }, { additionalProperties: false }),
)
export type AllPipelineErrorsQuery = Type.Static<typeof AllPipelineErrorsQuery>

export const PipelineErrorQuery = named(
  'PipelineErrorQuery',
  Type.Object(entryMembers, { additionalProperties: false }),
)
export type PipelineErrorQuery = Type.Static<typeof PipelineErrorQuery>

/** Query of `/v3/pipeline/error/count`. */
export const PipelineErrorCountQuery = named(
  'PipelineErrorCountQuery',
  Type.Object({ ...pipelineMember, ...periodMembers }, { additionalProperties: false }),
)
export type PipelineErrorCountQuery = Type.Static<typeof PipelineErrorCountQuery>

const recordMembers = {
  id: Type.String({
    description: 'Id of the errors of a node with one code and field; the same in every period.',
  }),
  pipeline_id: Type.String({ format: 'uuid' }),
  node_id: Type.String({ description: 'Id of the node, which may have been removed since.' }),
  node_kind: Type.Enum(['source', 'transform', 'destination']),
  code: Type.String({ description: 'Error code, such as E_NOT_FOUND.' }),
  level: Type.Enum(['error', 'warning'], { description: 'Level of the code.' }),
  field: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The path concerned, as configured.',
  }),
  message: Type.String({ description: 'The first error in one sentence.' }),
  captured: Type.String({
    description: 'Cause of the first of them, an event or a body, cut to 16 KiB.',
  }),
  first_seen: Type.String({
    format: 'date-time',
    description:
      'Time of the first error in the period. It is the start of the minute for errors of earlier versions, if that minute has several.',
  }),
  last_seen: Type.String({ format: 'date-time' }),
  count: Type.Integer({ description: 'Number of errors in the period.' }),
}

export const PipelineErrorRecord = named('PipelineErrorRecord', Type.Object(recordMembers))
export type PipelineErrorRecord = Type.Static<typeof PipelineErrorRecord>

export const HourlyPipelineErrorRecord = named(
  'HourlyPipelineErrorRecord',
  Type.Object({
    ...recordMembers,
    hours: Type.Array(
      Type.Object({ start: Type.String({ format: 'date-time' }), count: Type.Integer({ minimum: 1 }) }),
      { description: 'UTC hours with errors, ascending.' },
    ),
  }),
)

/** Most entries of an answer with counts. */
export const MOST_ERROR_COUNTS = 1_000

export const PipelineErrorCount = named(
  'PipelineErrorCount',
  Type.Object({
    pipeline_id: Type.String({ format: 'uuid' }),
    node_id: Type.String({ description: 'Id of the node, which may have been removed since.' }),
    code: Type.String({ description: 'Error code, such as E_NOT_FOUND.' }),
    count: Type.Integer({ minimum: 1, description: 'Number of errors in the period.' }),
  }),
)
export type PipelineErrorCount = Type.Static<typeof PipelineErrorCount>
