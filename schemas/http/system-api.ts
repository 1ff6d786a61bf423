import Type from 'typebox'
import { named } from '../named.ts'
import { EnvelopeOf } from './envelope.ts'
import { V3_ERROR_REPLIES } from './error-replies.ts'
import { TIME_FORMS } from './time-forms.ts'

const Count = Type.Integer({ minimum: 0 })
const Time = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })
const Figure = Type.Unsafe<number | null>({ type: ['number', 'null'] })

const SystemLog = named(
  'SystemLog',
  Type.Object({
    used_bytes: Count,
    limit_bytes: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Null on Kafka: the brokers manage their own space, and used_bytes is 0.',
    }),
    reserved_bytes: Type.Integer({
      description: 'Bytes of the limit that lines do not use: they are for records that empty the log.',
    }),
    takes_ingest: Type.Boolean({ description: 'False while the log is full.' }),
    oldest_at: Time,
  }),
)

const SystemStore = named(
  'SystemStore',
  Type.Object({
    reachable: Type.Boolean({ description: 'False: it did not answer within 2 s, and the others are null.' }),
    bytes: Figure,
    rows: Type.Unsafe<number | null>({ type: ['number', 'null'], description: 'Stored lines.' }),
    oldest_day: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'UTC day of the oldest lines.',
    }),
    disk_free_bytes: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'Null also if the server does not report it.',
    }),
    uncovered_rows: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'Lines without a filter of their words, which searches for words read as a whole.',
    }),
  }),
)

const SystemPartition = named(
  'SystemPartition',
  Type.Object({
    topic: Type.String(),
    partition: Count,
    worker: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Process that works on it; null: none, or none that this process knows of.',
    }),
    first: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'First kept offset.' }),
    next: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'Next offset.' }),
    lag_records: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Records that the engine has not read; null if the worker is in another process.',
    }),
    unstored_records: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Records that are not in the store yet, at the last report of the worker.',
    }),
    log_time: Time,
    behind_s: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'Age of the log time while there are unread records, else 0.',
    }),
    trouble: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Reason why it does not move.',
    }),
  }),
)

export const SystemStatusRecord = named(
  'SystemStatusRecord',
  Type.Object({
    version: Type.String(),
    read_at: Type.String({
      format: 'date-time',
      description: 'When the status was read: callers within a second share a reading.',
    }),
    started_at: Type.String({ format: 'date-time' }),
    roles: Type.Array(Type.Enum(['ingest', 'api', 'engine'])),
    ready: Type.Boolean(),
    reasons: Type.Array(Type.String(), { description: 'Why it is not ready, as in /readyz.' }),
    log: SystemLog,
    store: Type.Union([SystemStore, Type.Null()], { description: 'Null in a process without the store.' }),
    partitions: Type.Array(SystemPartition),
    tails: Type.Integer({ description: 'Live tails that are open in this process.' }),
    taps: Type.Integer({ description: 'Taps that are open in this process.' }),
  }),
)
export type SystemStatusRecord = Type.Static<typeof SystemStatusRecord>
export type SystemPartition = Type.Static<typeof SystemPartition>
export type SystemStore = Type.Static<typeof SystemStore>

export const SYSTEM_STATUS = {
  summary: 'Read the state of the log, the store and the partitions, as this process sees it',
  tags: ['operations'],
  response: { 200: EnvelopeOf(SystemStatusRecord), ...V3_ERROR_REPLIES },
}

export const QuarantinedRecord = named(
  'QuarantinedRecord',
  Type.Object({
    topic: Type.String({ description: 'Name of the topic of the log.' }),
    partition: Count,
    offset: Count,
    node: Type.String({ description: 'Id of the node at which the events of the record fail.' }),
    account: Type.String({ description: 'Short id of the account of the record.' }),
    since: Type.String({ format: 'date-time' }),
    by: Type.String({ description: 'Operator who ran `weir quarantine`, and the machine.' }),
    complete: Type.Boolean({
      description:
        'False: the command was interrupted, or still runs. It has no effect yet, and the partition waits.',
    }),
  }),
)
export type QuarantinedRecord = Type.Static<typeof QuarantinedRecord>

export const SYSTEM_QUARANTINES = {
  summary: 'List the records of the log that are in quarantine, the newest first',
  description:
    'Records whose events fail at one node, because `weir quarantine` was run for them. ' +
    'A token of an account sees those of the account, an enterprise token those of all its accounts.',
  tags: ['operations'],
  response: { 200: EnvelopeOf(Type.Array(QuarantinedRecord)), ...V3_ERROR_REPLIES },
}

/** Seconds between two samples: intervals are multiples of it. */
export const SAMPLE_S = 5
/** Samples are kept for this long, in seconds. */
export const KEPT_S = 3600

const SystemSeries = named(
  'SystemSeries',
  Type.Object({
    name: Type.Enum(['lines', 'bytes', 'events', 'stored_rows', 'refused_lines', 'refused_requests']),
    values: Type.Array(Figure, {
      description:
        'Per second, one for each interval. Null: not known, or nothing of this process counts it.',
    }),
  }),
)

export const SystemRates = named(
  'SystemRates',
  Type.Object({
    from: Type.Integer({ description: 'UNIX milliseconds.' }),
    to: Type.Integer({ description: 'UNIX milliseconds.' }),
    interval_ms: Type.Integer(),
    starts: Type.Array(Type.Integer(), { description: 'Beginning of each interval, UNIX milliseconds.' }),
    series: Type.Array(SystemSeries, {
      description:
        'Rates of this process: accepted lines and their bytes, events of gateway routes, stored rows, lines refused one by one, ' +
        'and requests to ingestion that were not accepted.',
    }),
    covered_from: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Nothing is known of the time before. UNIX milliseconds.',
    }),
  }),
)
export type SystemRates = Type.Static<typeof SystemRates>

export const SYSTEM_METRICS = {
  summary: 'Read the rates of ingestion, storing and refusals of the last hour',
  description: `Only of the server that answers, from its memory: one sample every ${SAMPLE_S} s.`,
  tags: ['operations'],
  querystring: Type.Object({
    from: Type.Optional(
      Type.String({
        description: `${TIME_FORMS}. Default: an hour ago. Earlier times are not known.`,
      }),
    ),
    interval_s: Type.Optional(
      Type.Integer({
        minimum: SAMPLE_S,
        maximum: KEPT_S,
        multipleOf: SAMPLE_S,
        default: 60,
        description: 'Length of an interval in seconds.',
      }),
    ),
  }),
  response: { 200: EnvelopeOf(SystemRates), ...V3_ERROR_REPLIES },
}
