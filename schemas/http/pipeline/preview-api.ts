import Type from 'typebox'
import type { JsonObject } from '../../json.ts'
import { named } from '../../named.ts'
import { nullable } from '../../nullable.ts'
import { EventRecord } from './simulation-api.ts'

/** Runs a draft on the lines of the last minutes. The shapes are Weir's own. */

export const PreviewRequest = named(
  'PreviewRequest',
  Type.Object(
    {
      minutes: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 10_080,
          default: 60,
          description: 'Length of the previewed period in minutes',
        }),
      ),
      revision: Type.Optional(
        Type.String({
          description: 'Number of the revision to try. Default: the edited nodes',
        }),
      ),
      pipeline: Type.Optional(
        Type.Unsafe<JsonObject>({
          type: 'object',
          description:
            'The pipeline to try, which need not be saved, in the form of a file (see PUT /v3/pipeline/import). ' +
            'A node with the name or the id of one of the draft is that node. Masks of secrets that this pipeline has ' +
            'stand for these secrets.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
)
export type PreviewRequest = Type.Static<typeof PreviewRequest>

const counts = {
  events_in: Type.Integer(),
  bytes_in: Type.Integer(),
  events_out: Type.Integer(),
  bytes_out: Type.Integer(),
  dropped: Type.Integer(),
  dropped_bytes: Type.Integer(),
  failed: Type.Integer(),
  merged: Type.Integer({ description: 'Events that became part of another one' }),
  held: Type.Integer({ description: 'Change of the number of events that windows hold' }),
}
export type PreviewCounts = Type.Static<Type.TObject<typeof counts>>

const NullablePreviewCounts = named(
  'NullablePreviewCounts',
  nullable<PreviewCounts>({ ...Type.Object(counts) }),
)
const Text = Type.Unsafe<string | null>({ type: ['string', 'null'] })

const PreviewNode = named(
  'PreviewNode',
  Type.Object({
    id: Type.String(),
    kind: Type.Enum(['source', 'transform', 'sink']),
    type: Type.String(),
    title: Text,
    name: Type.Optional(
      Type.String({ description: 'Name in the pipeline of the request; absent without one' }),
    ),
    deployed: NullablePreviewCounts,
    draft: NullablePreviewCounts,
  }),
)

const PreviewOutcome = named(
  'PreviewOutcome',
  Type.Object({
    nodes: Type.Array(PreviewNode, {
      description: 'null: the node is not on that side, or received no event',
    }),
    differing: Type.Integer({
      description: 'Lines whose events differ in destinations, number or content; also events of windows',
    }),
    under_way: Type.Integer({
      description:
        'Lines with events still on their way to another partition at the end: they are not compared',
    }),
    assumption: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description:
        'Assumption about the order in which events of an account on several partitions meet; null: none, the result is exact',
    }),
    in_force: Type.Array(
      named(
        'PreviewRevisionInForce',
        Type.Object({
          from: Type.String({
            format: 'date-time',
            description: 'Not before the beginning of the period',
          }),
          revision: Type.Unsafe<number | null>({
            type: ['integer', 'null'],
            description: 'null: the pipeline had ended',
          }),
          paused: Type.Boolean({ description: 'Whether the pipeline was paused, and handled no lines' }),
        }),
      ),
      {
        description:
          'Revisions that the counts of the deployed side belong to, oldest first. Before the first of them the pipeline handled no lines; [] where nothing of it was in force',
      },
    ),
    samples: Type.Array(
      Type.Object({
        event: EventRecord,
        deployed: Type.Array(Type.String(), { description: 'Ids of the destinations that received it' }),
        draft: Type.Array(Type.String()),
        deployed_events: Type.Array(EventRecord, { description: 'The event as each of them received it' }),
        draft_events: Type.Array(EventRecord),
      }),
    ),
  }),
)
export type PreviewOutcome = Type.Static<typeof PreviewOutcome>

export const PreviewRecord = named(
  'PreviewRecord',
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    pipeline_id: Type.String(),
    revision: Text,
    status: Type.Enum(['waiting', 'running', 'done', 'failed', 'cancelled']),
    message: Type.Optional(Type.String({ description: 'Reason of the failure' })),
    created_at: Type.String({ format: 'date-time' }),
    from: Type.String({ format: 'date-time' }),
    to: Type.String({ format: 'date-time' }),
    progress: Type.Object({
      records: Type.Integer(),
      of_records: Type.Integer(),
      lines: Type.Integer(),
    }),
    result: Type.Optional(PreviewOutcome),
  }),
)
export type PreviewRecord = Type.Static<typeof PreviewRecord>
