import Type from 'typebox'
import type { JsonValue } from '../../json.ts'
import { holds, type Keywords, readsJson } from '../../keywords.ts'
import { named } from '../../named.ts'
import { EmailAddress, Headers, HeadersWrite, Uri } from './channel.ts'

/** Names that the body of a webhook may use in double braces. */
export const INDEX_RATE_TOKENS = [
  'max_lines',
  'max_z_score',
  'threshold_alert',
  'frequency',
  'current_rate',
  'z_score',
  'account',
  'url',
  'apps',
  'hosts',
] as const

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Upper bound: the largest integer that a JSON number keeps exactly. */
const THRESHOLD = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

const thresholds = {
  max_lines: Type.Optional(
    Type.Integer({ ...THRESHOLD, description: 'Lines per second, on average over the last hour.' }),
  ),
  max_z_score: Type.Optional(
    Type.Integer({ ...THRESHOLD, description: 'Standard deviations above the mean of the last 30 days.' }),
  ),
  threshold_alert: Type.Enum(['separate', 'both']),
  frequency: Type.Enum(['hourly', 'daily']),
}

const IndexRateWebhookWrite = named(
  'IndexRateWebhookWrite',
  Type.Object({
    url: Uri,
    method: Type.Enum([...METHODS]),
    headers: Type.Optional(HeadersWrite),
    bodyTemplate: Type.Optional(
      readsJson<JsonValue>({
        tokens: INDEX_RATE_TOKENS,
        description: `An object, or a string that contains JSON. Tokens: ${INDEX_RATE_TOKENS.join(', ')}.`,
      }),
    ),
  }),
)

/** A full replacement: omitted members get their defaults. */
export const IndexRateAlertWrite = named(
  'IndexRateAlertWrite',
  Type.Object(
    {
      ...thresholds,
      channels: Type.Optional(
        Type.Object({
          email: Type.Optional(Type.Array(EmailAddress)),
          pagerduty: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
          slack: Type.Optional(Type.Array(Uri)),
          webhook: Type.Optional(Type.Array(IndexRateWebhookWrite)),
        }),
      ),
      enabled: Type.Optional(Type.Boolean({ default: false })),
    },
    {
      if: holds('enabled', true),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { needsOneOf: ['max_lines', 'max_z_score'] } satisfies Keywords,
    },
  ),
)
export type IndexRateAlertWrite = Type.Static<typeof IndexRateAlertWrite>

const IndexRateWebhook = named(
  'IndexRateWebhook',
  Type.Object({
    url: Type.String(),
    method: Type.Enum([...METHODS]),
    headers: Headers,
    bodyTemplate: Type.Optional(Type.String({ description: 'JSON text, indented by two blanks.' })),
  }),
)

export const IndexRateAlertRecord = named(
  'IndexRateAlertRecord',
  Type.Object({
    ...thresholds,
    channels: Type.Object({
      email: Type.Array(Type.String()),
      pagerduty: Type.Array(Type.String()),
      slack: Type.Array(Type.String()),
      webhook: Type.Array(IndexRateWebhook),
    }),
    enabled: Type.Boolean(),
  }),
)
export type IndexRateAlertRecord = Type.Static<typeof IndexRateAlertRecord>
