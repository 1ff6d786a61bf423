import Type from 'typebox'
import { named } from '../../named.ts'
import { TIME_FORMS } from '../time-forms.ts'
import { EventRecord } from './simulation-api.ts'

/** Explanations of lines, computed by replaying the log. The shapes are Weir's own. */

const Text = Type.Unsafe<string | null>({ type: ['string', 'null'] })

const ExplainedDelivery = named(
  'ExplainedDelivery',
  Type.Object(
    {
      state: Type.Enum(['delivered', 'given_up', 'waiting', 'dropped', 'not_kept'], {
        description:
          'dropped: its pipeline was deleted before it was sent; not_kept: the log that would show it is no longer kept',
      }),
      batch_id: Type.Optional(
        Type.String({
          description:
            'Batch with which it was, or will be, sent; omitted while no batch with it is complete',
        }),
      ),
      batch: Type.Optional(Type.Integer({ description: 'Number of that batch at this node and partition' })),
      attempts: Type.Optional(Type.Integer({ description: 'Number of requests for that batch' })),
      at: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'Time of the log at which it was delivered or given up',
        }),
      ),
      error: Type.Optional(
        Type.Object(
          {
            code: Type.String(),
            field: Text,
            message: Type.String(),
            status: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
          },
          { description: 'Reason for which it was given up' },
        ),
      ),
    },
    { description: 'For a step at a destination that sends to another system' },
  ),
)
export type ExplainedDeliveryRecord = Type.Static<typeof ExplainedDelivery>

const ExplanationStep = named(
  'ExplanationStep',
  Type.Object({
    node_id: Type.String(),
    kind: Type.Enum(['source', 'transform', 'sink']),
    type: Type.String(),
    title: Text,
    outcome: Type.Enum(['passed', 'dropped', 'failed', 'held', 'merged', 'moved', 'under_way', 'not_kept'], {
      description:
        'held, merged: the event is part of a window of the node, alone or with others, and continues in the events of the window. ' +
        'At trace-sampling, held: it waits for the root of its trace, and is kept or dropped with it. ' +
        'For lines of a spread account: moved, to the partition of its key, where the next steps took place; ' +
        'under_way, when it has not arrived there yet; not_kept, when the log of that time is no longer kept there',
    }),
    outputs: Type.Array(Type.String(), { description: 'Ids of the outputs by which it left' }),
    read: Type.Boolean({ description: 'false: no node reads these outputs, so it ended there' }),
    event: EventRecord,
    reason: Type.Optional(
      Type.Unsafe<object>({
        type: 'object',
        description: 'For a dropped event: the rule, as reported by the processor',
      }),
    ),
    errors: Type.Array(Type.Object({ code: Type.String(), field: Text, message: Type.String() })),
    delivery: Type.Optional(ExplainedDelivery),
    place: Type.Optional(
      Type.String({ description: 'For a step in another partition: topic, partition and offset in the log' }),
    ),
    handled_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'For a step in another partition: time of the log' }),
    ),
    revision: Type.Optional(
      Type.Integer({ description: 'For a step in another partition: number of the revision that made it' }),
    ),
  }),
)

const StoredLine = named(
  'StoredLine',
  Type.Object({
    line_id: Type.String(),
    pipeline_id: Text,
    node_id: Text,
  }),
)

const pipelineMembers = {
  revision: { type: ['integer', 'null'] },
  deployment: { type: 'integer' },
  paused: { type: 'boolean' },
  dropped_by_pause: {
    type: 'boolean',
    description: 'true: the pipeline was paused with mode drop, and dropped the line; omitted otherwise',
  },
  took_it: { type: 'boolean' },
  steps: { type: 'array', items: ExplanationStep },
}

const lineMembers = {
  place: Type.String({ description: 'Topic, partition, offset and number of the line in the log' }),
  handled_at: Type.String({ format: 'date-time', description: 'Time of the log' }),
  event: EventRecord,
  summary: Type.String({ description: 'Summary in one sentence' }),
  stored: Type.Array(StoredLine, {
    description:
      'Lines of the own store that were made from it, by all pipelines, alone or as the last event of a window',
  }),
  excluded: Type.Array(
    Type.Object({
      pipeline_id: Text,
      node_id: Text,
      reason: Type.Unsafe<object>({ type: 'object', description: 'The rule or quota' }),
    }),
    {
      description:
        'Places, in all pipelines, where a rule on lines or an exhausted quota kept it out of the store. Without a pipeline and a node: in the default graph, or it was dropped on arrival',
    },
  ),
  window: Type.Optional(
    Type.Object(
      {
        pipeline_id: Type.String(),
        revision: Type.Integer({ description: 'Number of the revision that the window belongs to' }),
        node_id: Type.String(),
        ended_at: Type.String({ format: 'date-time', description: 'Time of the log' }),
        events: Type.Optional(Type.Integer({ description: 'Number of events in the window' })),
        group: Type.Optional(
          Type.String({
            description: 'Group of these events, as JSON texts; empty when all events form one group',
          }),
        ),
      },
      {
        description:
          'For a stored line that came out of a window: event is the result of the window, and place the record that ended it. ' +
          'events and group are omitted when an event ended the window early',
      },
    ),
  ),
}

export const ExplainedLine = named(
  'ExplainedLine',
  Type.Object({
    ...lineMembers,
    pipeline: Type.Unsafe<ExplainedPipelineRecord | null>({
      type: ['object', 'null'],
      description:
        'null: the pipeline was not deployed when the line was handled, or the line came out of a window',
      properties: pipelineMembers,
    }),
  }),
)
export type ExplainedLine = Type.Static<typeof ExplainedLine>

/** Line with its way through all pipelines. */
export const AccountExplainedLine = named(
  'AccountExplainedLine',
  Type.Object({
    ...lineMembers,
    pipelines: Type.Array(
      Type.Unsafe<ExplainedPipelineRecord & { readonly pipeline_id: string; readonly title: string }>({
        type: 'object',
        properties: {
          pipeline_id: { type: 'string' },
          title: { type: 'string', description: 'Title of the pipeline as of that revision' },
          ...pipelineMembers,
        },
      }),
      {
        description:
          'Pipelines that were deployed when the line was handled; empty for a line that came out of a window. ' +
          'A stored line without a pipeline_id was stored by the default graph, which acts where no pipeline reads lines',
      },
    ),
  }),
)
export type AccountExplainedLine = Type.Static<typeof AccountExplainedLine>

export interface ExplainedPipelineRecord {
  /** Number of the revision. */
  readonly revision: number
  readonly deployment: number
  readonly paused: boolean
  readonly dropped_by_pause?: boolean
  readonly took_it: boolean
  readonly steps: readonly Type.Static<typeof ExplanationStep>[]
}
export type ExplainedStepRecord = Type.Static<typeof ExplanationStep>

const MAX_EXPLAINED_LINES = 100

export const ExplanationQuery = named(
  'ExplanationQuery',
  Type.Object({
    line_id: Type.Optional(Type.String({ description: '_id of a stored line' })),
    batch_id: Type.Optional(
      Type.String({
        description: 'batchID from the answer of ingestion: explains the lines of that request',
      }),
    ),
    query: Type.Optional(
      Type.String({ description: 'Search query that is applied to the lines as sent; requires from' }),
    ),
    from: Type.Optional(
      Type.String({
        description: `Start of the range: ${TIME_FORMS}`,
      }),
    ),
    to: Type.Optional(
      Type.String({
        description:
          'End of the range, in the same forms; a second or a date counts as a whole. Default: now',
      }),
    ),
    limit: Type.Optional(
      Type.String({
        pattern: `^([1-9]|[1-9][0-9]|${MAX_EXPLAINED_LINES})$`,
        description: `Maximum number of lines, 1 to ${MAX_EXPLAINED_LINES}; default: 20`,
      }),
    ),
    missing: Type.Optional(
      Type.Enum(['true', 'false'], {
        description: 'true, with query: only lines of which nothing is in the own store. Default: false',
      }),
    ),
  }),
)
export type ExplanationQuery = Type.Static<typeof ExplanationQuery>
