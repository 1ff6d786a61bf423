import Type from 'typebox'
import { named } from '../named.ts'

/** What `/v3/pipeline/{id}/error` takes and answers (components, section 4.1). The shapes are Weir's own. */

export const PipelineErrorQuery = named(
  'PipelineErrorQuery',
  Type.Object(
    {
      node_id: Type.Optional(Type.String({ description: 'Only errors of this node.' })),
      from: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'Reported then or later; when left out, a day before `to`, or before now.',
        }),
      ),
      to: Type.Optional(Type.String({ format: 'date-time', description: 'Reported before that.' })),
      limit: Type.Optional(
        Type.String({
          pattern: '^([1-9][0-9]?|1[0-9][0-9]|200)$',
          default: '100',
          description: 'Most entries, 1 to 200.',
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
    id: Type.String({ description: 'Of equal errors; the same in every period.' }),
    pipeline_id: Type.String({ format: 'uuid' }),
    node_id: Type.String({ description: 'The node may be gone by now.' }),
    node_kind: Type.Enum(['source', 'transform', 'destination']),
    code: Type.String({ description: 'Such as E_NOT_FOUND.' }),
    field: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The path concerned, as configured.',
    }),
    message: Type.String({ description: 'In a sentence.' }),
    captured: Type.String({
      description: 'What caused the first of them, an event or a body, cut to 16,384 characters.',
    }),
    first_seen: Type.String({
      format: 'date-time',
      description: 'Of those in the period; the start of its minute where several came in that.',
    }),
    last_seen: Type.String({ format: 'date-time' }),
    count: Type.Integer({ description: 'In the period.' }),
  }),
)
export type PipelineErrorRecord = Type.Static<typeof PipelineErrorRecord>
