import Type from 'typebox'
import { named } from '../named.ts'
import { EventRecord } from './simulation-api.ts'

/** What became of lines, told once more from the log. The shapes are Weir's own. */

const Text = Type.Unsafe<string | null>({ type: ['string', 'null'] })

const Step = Type.Object({
  node_id: Type.String(),
  kind: Type.Enum(['source', 'transform', 'sink']),
  type: Type.String(),
  title: Text,
  outcome: Type.Enum(['passed', 'dropped', 'failed', 'held', 'merged', 'moved', 'under_way', 'not_kept'], {
    description:
      'held, merged: it is part of a window of the node, alone or with others, and goes on in what that gives. ' +
      'Of lines of a spread account: moved, to the partition where its key is counted, and the next steps were made there; ' +
      'under_way, where it has not arrived there yet; not_kept, where the log of then is not kept there any more',
  }),
  outputs: Type.Array(Type.String(), { description: 'Ids of the outputs that it left by' }),
  read: Type.Boolean({ description: 'false: it left by outputs that no node reads, and ended there' }),
  event: EventRecord,
  reason: Type.Optional(
    Type.Unsafe<object>({
      type: 'object',
      description: 'Of a dropped event: which rule it was, as the processor says',
    }),
  ),
  errors: Type.Array(Type.Object({ code: Type.String(), field: Text, message: Type.String() })),
  place: Type.Optional(
    Type.String({ description: 'Of a step in another partition: topic, partition and offset in the log' }),
  ),
  handled_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'Of a step in another partition: time of the log' }),
  ),
  revision: Type.Optional(
    Type.Integer({ description: 'Of a step in another partition: number of the revision that made it' }),
  ),
})

const StoredLine = Type.Object({
  line_id: Type.String(),
  pipeline_id: Text,
  node_id: Text,
})

export const ExplainedLine = named(
  'ExplainedLine',
  Type.Object({
    place: Type.String({ description: 'Topic, partition, offset and number of the line in the log' }),
    handled_at: Type.String({ format: 'date-time', description: 'Time of the log' }),
    event: EventRecord,
    summary: Type.String({ description: 'In a sentence' }),
    stored: Type.Array(StoredLine, {
      description:
        'Lines of the own store that it became, of all pipelines, alone or as the last event of a window',
    }),
    excluded: Type.Array(
      Type.Object({
        pipeline_id: Text,
        node_id: Text,
        reason: Type.Unsafe<object>({ type: 'object', description: 'Which rule, or which quota, it was' }),
      }),
      {
        description:
          'Where it would have been stored, of all pipelines, but for a rule on lines or a quota that is used up; without a pipeline and a node: by the default graph, or it was dropped as it arrived',
      },
    ),
    window: Type.Optional(
      Type.Object(
        {
          pipeline_id: Type.String(),
          revision: Type.Integer({ description: 'Number of the revision whose window it was' }),
          node_id: Type.String(),
          ended_at: Type.String({ format: 'date-time', description: 'Time of the log' }),
          events: Type.Optional(Type.Integer({ description: 'Number of events that were in it' })),
          group: Type.Optional(
            Type.String({
              description: 'What these had in common, as JSON texts; empty where it is all events',
            }),
          ),
        },
        {
          description:
            'Of a stored line that came out of a window: event is what the window gave, and place the record that it ended with. ' +
            'events and group are left out where an event ended the window before its time',
        },
      ),
    ),
    pipeline: Type.Unsafe<ExplainedPipelineRecord | null>({
      type: ['object', 'null'],
      description:
        'null: nothing of the pipeline was deployed when the line was handled, or a window gave the line',
      properties: {
        revision: { type: ['integer', 'null'] },
        deployment: { type: 'integer' },
        paused: { type: 'boolean' },
        took_it: { type: 'boolean' },
        steps: { type: 'array', items: Step },
      },
    }),
  }),
)
export type ExplainedLine = Type.Static<typeof ExplainedLine>

export interface ExplainedPipelineRecord {
  /** Number of the revision. */
  readonly revision: number
  readonly deployment: number
  readonly paused: boolean
  readonly took_it: boolean
  readonly steps: readonly Type.Static<typeof Step>[]
}
export type ExplainedStepRecord = Type.Static<typeof Step>

export const MAX_EXPLAINED_LINES = 100

export const ExplanationQuery = named(
  'ExplanationQuery',
  Type.Object({
    line_id: Type.Optional(Type.String({ description: '_id of a stored line' })),
    batch_id: Type.Optional(
      Type.String({ description: 'batchID that ingestion answered: explains the lines of that request' }),
    ),
    query: Type.Optional(
      Type.String({ description: 'Finds lines as they were sent, in the language of searches; with from' }),
    ),
    from: Type.Optional(
      Type.String({
        description:
          'UNIX time in seconds, milliseconds or finer, told by its magnitude; or a time as in RFC 3339',
      }),
    ),
    to: Type.Optional(Type.String({ description: 'The same, a second as a whole; now when left out' })),
    limit: Type.Optional(
      Type.String({
        pattern: '^([1-9]|[1-9][0-9]|100)$',
        description: 'Most lines, 1 to 100; 20 when left out',
      }),
    ),
  }),
)
export type ExplanationQuery = Type.Static<typeof ExplanationQuery>
