import Type from 'typebox'
import { DAY_S } from '../../times/duration.ts'

const MAX_BATCH_AGE_SECS = DAY_S // A day: components, section 7.1.

/** Part of every destination (pipeline API, section 6). */
export const ackEnabled = Type.Optional(
  Type.Boolean({
    default: true,
    description: 'Acknowledge events only once the destination has confirmed them',
  }),
)

export const batchTimeoutSecs = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_BATCH_AGE_SECS,
    default: 300,
    description: 'Age at which a batch is sent however small it is, in seconds',
  }),
)

export const compression = Type.Optional(
  Type.Enum(['gzip', 'none'], { default: 'none', description: 'Compression of sent data' }),
)

export const encoding = Type.Optional(
  Type.Enum(['json', 'text'], {
    default: 'text',
    description: 'Form of an event: JSON, or a text as it is',
  }),
)

export const encodingWithNdjson = Type.Optional(
  Type.Enum(['json', 'ndjson', 'text'], {
    default: 'text',
    description: 'Form of the events: one JSON array, a line of JSON each, or a text as it is',
  }),
)
