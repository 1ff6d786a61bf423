import Type from 'typebox'
import { named } from '../../named.ts'
import { EnvelopeOf } from '../envelope.ts'
import { V3_ERROR_REPLIES } from '../error-replies.ts'
import { TIME_FORMS } from '../time-forms.ts'

/** Intervals of one answer at most: a day of minutes. */
export const MAX_METRICS_INTERVALS = 1_440
/** Seconds between two rows of a node: intervals are multiples of it. */
export const METRICS_MINUTE_S = 60
/** Points in the overview of all pipelines. */
export const OVERVIEW_POINTS = 60

const Counts = Type.Array(Type.Integer(), { description: 'One for each interval.' })
const OrNull = { type: ['string', 'null'] as const, format: 'uuid' }

const NodeSeries = named(
  'NodeSeries',
  Type.Object({
    node: Type.String({
      description:
        'Id of the node, which may have been removed since. "paused" counts the events that a paused pipeline left out.',
    }),
    events_in: Counts,
    bytes_in: Counts,
    events_out: Type.Array(Type.Integer(), { description: 'Events that left, once for each edge.' }),
    bytes_out: Counts,
    copied: Type.Array(Type.Integer(), { description: 'Additional copies, for several edges or outputs.' }),
    created: Type.Array(Type.Integer(), { description: 'Events made from others, beyond one for one.' }),
    dropped: Type.Array(Type.Integer(), {
      description: 'Events left out on purpose, or by an output without an edge.',
    }),
    dropped_bytes: Counts,
    failed: Counts,
    merged: Counts,
    held: Type.Array(Type.Integer(), {
      description: 'Change of the number of events that the node holds; may be negative.',
    }),
  }),
)

const EdgeSeries = named(
  'EdgeSeries',
  Type.Object({
    output: Type.String({ description: 'Id of the output, as in the inputs of nodes.' }),
    node: Type.String({ description: 'Id of the node that reads it.' }),
    events: Counts,
    bytes: Counts,
  }),
)

const periodMembers = {
  from: Type.Integer({ description: 'UNIX milliseconds, the beginning of a minute.' }),
  to: Type.Integer({ description: 'UNIX milliseconds. Exclusive.' }),
  interval_ms: Type.Integer(),
  starts: Type.Array(Type.Integer(), { description: 'Beginning of each interval, UNIX milliseconds.' }),
}

export const PipelineMetrics = named(
  'PipelineMetrics',
  Type.Object({
    ...periodMembers,
    pipeline_id: Type.String({ format: 'uuid' }),
    revision_id: Type.Unsafe<string | null>({
      ...OrNull,
      description: 'The deployed revision, to which the edges belong; null: there are no edges.',
    }),
    nodes: Type.Array(NodeSeries, { description: 'Nodes with counts in the period.' }),
    edges: Type.Array(EdgeSeries, {
      description:
        'Edges of the deployed revision with events in the period. Where an output had other edges in the period, its events are divided equally.',
    }),
  }),
)
export type PipelineMetrics = Type.Static<typeof PipelineMetrics>

const PipelineTotals = named(
  'PipelineTotals',
  Type.Object({
    pipeline_id: Type.String({ format: 'uuid' }),
    events_in: Type.Integer({ description: 'Events of its sources.' }),
    bytes_in: Type.Integer(),
    events_out: Type.Integer({ description: 'Events that its destinations gave on.' }),
    bytes_out: Type.Integer(),
    dropped: Type.Integer(),
    failed: Type.Integer(),
    in: Type.Array(Type.Integer(), { description: 'Events of its sources in each interval.' }),
    out: Type.Array(Type.Integer(), { description: 'Events of its destinations in each interval.' }),
  }),
)

export const MetricsOfPipelines = named(
  'MetricsOfPipelines',
  Type.Object({
    ...periodMembers,
    pipelines: Type.Array(PipelineTotals),
  }),
)
export type MetricsOfPipelines = Type.Static<typeof MetricsOfPipelines>

const LiveCount = Type.Integer({ description: 'In the last second.' })

const LiveNode = named(
  'LiveNode',
  Type.Object({
    node: Type.String(),
    events_in: LiveCount,
    bytes_in: LiveCount,
    events_out: LiveCount,
    bytes_out: LiveCount,
    dropped: LiveCount,
    failed: LiveCount,
    merged: LiveCount,
    held: LiveCount,
  }),
)
export type LiveNode = Type.Static<typeof LiveNode>

/** Messages of `/v3/pipeline/{id}/metrics/live`. */
export const LiveMetrics = named(
  'LiveMetrics',
  Type.Object({
    type: Type.Literal('counts'),
    at: Type.String({ format: 'date-time' }),
    over_ms: Type.Integer({ description: 'Length of the time in which they were counted: about a second.' }),
    nodes: Type.Array(LiveNode, { description: 'Nodes with events in that time.' }),
    edges: Type.Array(
      named(
        'LiveEdge',
        Type.Object({ output: Type.String(), node: Type.String(), events: LiveCount, bytes: LiveCount }),
      ),
      { description: 'Edges of the running revision with events in that time.' },
    ),
  }),
)
export type LiveMetrics = Type.Static<typeof LiveMetrics>

const Time = (description: string) =>
  Type.Optional(Type.Union([Type.Integer(), Type.String()], { description }))
const from = Time(
  `Start of the period: ${TIME_FORMS}. Rounded down to a minute. Default: an hour before \`to\`.`,
)
const to = Time('End of the period, in the same forms. Exclusive. Default: now.')

const ABOUT =
  'Counts of a minute appear when it is over in log time, and stay for 90 days. ' +
  'Members whose groups limit which lines they see cannot read them.'

/** The handlers validate by themselves. */
export const PIPELINE_METRICS = {
  summary: 'Count the events of each node and each edge of a pipeline over time',
  description: ABOUT,
  tags: ['pipelines'],
  params: Type.Object({ pipelineId: Type.String() }),
  querystring: Type.Object({
    from,
    to,
    interval_s: Type.Optional(
      Type.Integer({
        minimum: METRICS_MINUTE_S,
        multipleOf: METRICS_MINUTE_S,
        description: `Length of an interval in seconds. At most ${MAX_METRICS_INTERVALS} intervals fit into an answer, and fewer for a pipeline of very many nodes and edges. Default: a minute, or the shortest with which the answer fits.`,
      }),
    ),
  }),
  response: { 200: EnvelopeOf(PipelineMetrics), ...V3_ERROR_REPLIES },
}

export const METRICS_OF_PIPELINES = {
  summary: 'Count the events into and out of all pipelines of the account over time',
  description: `${ABOUT} The period is divided into at most ${OVERVIEW_POINTS} intervals of whole minutes.`,
  tags: ['pipelines'],
  querystring: Type.Object({ from, to }),
  response: { 200: EnvelopeOf(MetricsOfPipelines), ...V3_ERROR_REPLIES },
}
