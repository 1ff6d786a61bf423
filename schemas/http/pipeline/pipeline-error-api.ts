import Type from 'typebox'
import { named } from '../../named.ts'

/** Query and answer of `/v3/pipeline/{id}/error` (components, section 4.1). The shapes are Weir's own. */

export const PipelineErrorQuery = named(
  'PipelineErrorQuery',
  Type.Object(
    {
      node_id: Type.Optional(Type.String({ description: 'Only errors of this node.' })),
      from: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'Errors reported at this time or later. Default: one day before `to`, or before now.',
        }),
      ),
      to: Type.Optional(
        Type.String({ format: 'date-time', description: 'Errors reported before this time.' }),
      ),
      limit: Type.Optional(
        Type.String({
          pattern: '^([1-9][0-9]?|1[0-9][0-9]|200)$',
          default: '100',
          description: 'Maximum number of entries, 1 to 200.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
)
export type PipelineErrorQuery = Type.Static<typeof PipelineErrorQuery>

export const PipelineErrorRecord = named(
  'PipelineErrorRecord',
  Type.Object({
    id: Type.String({ description: 'Id of a group of equal errors; the same in every period.' }),
    pipeline_id: Type.String({ format: 'uuid' }),
    node_id: Type.String({ description: 'Id of the node, which may have been removed since.' }),
    node_kind: Type.Enum(['source', 'transform', 'destination']),
    code: Type.String({ description: 'Error code, such as E_NOT_FOUND.' }),
    field: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The path concerned, as configured.',
    }),
    message: Type.String({ description: 'The error in one sentence.' }),
    captured: Type.String({
      description: 'Cause of the first of them, an event or a body, cut to 16,384 characters.',
    }),
    first_seen: Type.String({
      format: 'date-time',
      description:
        'Time of the last error in the period; the start of its minute when there were several in that minute.',
    }),
    last_seen: Type.String({ format: 'date-time' }),
    count: Type.Integer({ description: 'Number of errors in the period.' }),
  }),
)
export type PipelineErrorRecord = Type.Static<typeof PipelineErrorRecord>
