import Type from 'typebox'
import { named } from '../../named.ts'

/**
 * State of a running throttle, and the keys that are exempt from it. The wire contract does not cover them: the shapes are Weir's
 * own.
 */

/** Longest exemption of a key. */
export const MAX_EXEMPTION_MINUTES = 7 * 24 * 60
const MAX_KEY_CHARACTERS = 8_192

const Time = Type.String({ format: 'date-time' })
const NullableTime = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description })
const Key = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  minLength: 1,
  maxLength: MAX_KEY_CHARACTERS,
  description: 'Text of the key; null: events without a key.',
})

/** Requires either `minutes` or `until`. */
export const ExemptionWrite = named(
  'ExemptionWrite',
  Type.Object(
    {
      key: Key,
      minutes: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_EXEMPTION_MINUTES, description: 'Duration from now.' }),
      ),
      until: Type.Optional(
        Type.String({
          format: 'point in time',
          description:
            'End of the exemption, at most seven days from now: ISO 8601, a UNIX time as a text, or a span from now such as 2h.',
        }),
      ),
      reason: Type.Optional(
        Type.String({ maxLength: 1_000, default: '', description: 'Reason, a free text.' }),
      ),
    },
    { additionalProperties: false },
  ),
)
export type ExemptionWrite = Type.Static<typeof ExemptionWrite>

/** Members of which exactly one is required. */
const keyMembers = {
  key: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_KEY_CHARACTERS })),
  default: Type.Optional(Type.Enum(['true'], { description: 'Selects events without a key.' })),
}

export const ExemptionQuery = named(
  'ExemptionQuery',
  Type.Object(keyMembers, { additionalProperties: false }),
)
export type ExemptionQuery = Type.Static<typeof ExemptionQuery>

export const ExemptionRecord = named(
  'ExemptionRecord',
  Type.Object({
    key: Key,
    until: Time,
    reason: Type.String(),
    created_at: Time,
    in_effect: Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description: "Whether the account's lines pass through it now; null: unknown to this process.",
    }),
  }),
)
export type ExemptionRecord = Type.Static<typeof ExemptionRecord>

export const BucketQuery = named(
  'BucketQuery',
  Type.Object(
    {
      limit: Type.Optional(
        Type.String({
          pattern: '^([1-9][0-9]?|100)$',
          default: '20',
          description: 'Maximum number of entries, 1 to 100.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
)
export type BucketQuery = Type.Static<typeof BucketQuery>

export const OneBucketQuery = named(
  'OneBucketQuery',
  Type.Object({ default: keyMembers.default }, { additionalProperties: false }),
)
export type OneBucketQuery = Type.Static<typeof OneBucketQuery>

const bucketMembers = {
  bucket: Type.Enum(['key', 'default', 'shared'], {
    description:
      'Bucket of one key, of events without a key, or of all keys beyond the maximum number of buckets.',
  }),
  key: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Text of the key; null also when it is too long to be kept.',
  }),
  key_sha256: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Hash of a key that is too long to be kept.',
  }),
  passed: Type.Integer({ description: 'Number of events that passed in the window that ends now.' }),
  oldest_at: NullableTime('Time of the oldest of these events.'),
  newest_at: NullableTime('Time of the newest of these events.'),
  free_from: NullableTime('Time at which it has room again; null: now.'),
  exempt_until: NullableTime('End of its exemption; null: it is not exempt, or the key is unknown.'),
}

export const BucketRecord = named('BucketRecord', Type.Object(bucketMembers))
export type BucketRecord = Type.Static<typeof BucketRecord>

/** Maximum number of pass times that are shown per bucket. */
export const MAX_SHOWN_RUNS = 1_000

export const OneBucketRecord = named(
  'OneBucketRecord',
  Type.Object({
    ...bucketMembers,
    runs: Type.Integer({ description: 'Number of different times at which events passed.' }),
    passes: Type.Array(Type.Object({ at: Time, count: Type.Integer() }), {
      description: `The newest ${MAX_SHOWN_RUNS} of them, oldest first.`,
    }),
  }),
)
export type OneBucketRecord = Type.Static<typeof OneBucketRecord>

/** Totals over all buckets of the throttle. */
export const BucketTotals = named(
  'BucketTotals',
  Type.Object({
    at: Type.String({ format: 'date-time', description: 'The end of the window.' }),
    threshold: Type.Integer(),
    window_ms: Type.Integer(),
    buckets: Type.Integer({ description: 'Number of buckets of keys that hold a pass time.' }),
    runs: Type.Integer(),
    joined_passes: Type.Integer({
      description: 'Number of passes that expire late because the room for times was used up.',
    }),
    bytes: Type.Integer(),
    key_bytes: Type.Integer(),
  }),
)
export type BucketTotals = Type.Static<typeof BucketTotals>

/** Answer with a list of buckets. */
export const BucketRecordListEnvelope = named(
  'BucketRecordListEnvelope',
  Type.Object({
    meta: Type.Object({
      pk: Type.String(),
      type: Type.String(),
      links: Type.Unsafe<object>({ type: 'object' }),
      page: Type.Object({ next: Type.Null(), previous: Type.Null() }),
      totals: BucketTotals,
    }),
    data: Type.Array(BucketRecord),
  }),
)

export const EndedExemption = named(
  'EndedExemption',
  Type.Object({ key: ExemptionRecord.properties.key, deleted: Type.Literal(true) }),
)
