import Type from 'typebox'
import { named } from '../named.ts'

/**
 * What passes through a throttle that runs, and who is exempt from it. The wire contract is silent about it: the shapes
 * are Weir's own.
 */

/** The longest that a key can be exempt. */
export const MAX_EXEMPTION_MINUTES = 7 * 24 * 60
const MAX_KEY_CHARACTERS = 8_192

const Time = Type.String({ format: 'date-time' })
const NullableTime = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description })
const Key = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  minLength: 1,
  maxLength: MAX_KEY_CHARACTERS,
  description: 'Text of the key; null: events without one.',
})

/** Either minutes or until. */
export const ExemptionWrite = named(
  'ExemptionWrite',
  Type.Object(
    {
      key: Key,
      minutes: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_EXEMPTION_MINUTES, description: 'From now on.' }),
      ),
      until: Type.Optional(Type.String({ format: 'date-time', description: 'Seven days from now at most.' })),
      reason: Type.Optional(Type.String({ maxLength: 1_000, default: '', description: 'For people.' })),
    },
    { additionalProperties: false },
  ),
)
export type ExemptionWrite = Type.Static<typeof ExemptionWrite>

/** Exactly one of them. */
const keyMembers = {
  key: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_KEY_CHARACTERS })),
  default: Type.Optional(Type.Enum(['true'], { description: 'Events without a key.' })),
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
      description: "The account's lines meet it now; null: not known to this process.",
    }),
  }),
)
export type ExemptionRecord = Type.Static<typeof ExemptionRecord>

export const BucketQuery = named(
  'BucketQuery',
  Type.Object(
    {
      limit: Type.Optional(
        Type.String({ pattern: '^([1-9][0-9]?|100)$', default: '20', description: '1 to 100.' }),
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
    description: 'Of one key; of events without a key; of all keys that found no room.',
  }),
  key: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'null also when the key is too long to be kept.',
  }),
  key_sha256: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Of a key that is too long to be kept.',
  }),
  passed: Type.Integer({ description: 'In the window that ends now.' }),
  oldest_at: NullableTime('Of these.'),
  newest_at: NullableTime('Of these.'),
  free_from: NullableTime('When it has room again; null: now.'),
  exempt_until: NullableTime('null: it is not exempt, or the key is not known.'),
}

export const BucketRecord = named('BucketRecord', Type.Object(bucketMembers))
export type BucketRecord = Type.Static<typeof BucketRecord>

/** Pass times that are shown of one bucket, at most. */
export const MAX_SHOWN_RUNS = 1_000

export const OneBucketRecord = named(
  'OneBucketRecord',
  Type.Object({
    ...bucketMembers,
    runs: Type.Integer({ description: 'Different times at which it passed something.' }),
    passes: Type.Array(Type.Object({ at: Time, count: Type.Integer() }), {
      description: `The newest ${MAX_SHOWN_RUNS} of them, oldest first.`,
    }),
  }),
)
export type OneBucketRecord = Type.Static<typeof OneBucketRecord>

/** What holds for all buckets of the throttle. */
export const BucketTotals = named(
  'BucketTotals',
  Type.Object({
    at: Type.String({ format: 'date-time', description: 'The end of the window.' }),
    threshold: Type.Integer(),
    window_ms: Type.Integer(),
    buckets: Type.Integer({ description: 'That hold a pass time, of keys.' }),
    runs: Type.Integer(),
    joined_passes: Type.Integer({ description: 'That expire late because the room for times was used up.' }),
    bytes: Type.Integer(),
    key_bytes: Type.Integer(),
  }),
)
export type BucketTotals = Type.Static<typeof BucketTotals>
