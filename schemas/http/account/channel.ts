import Type from 'typebox'
import type { JsonObject, JsonValue } from '../../json.ts'
import { byWord, holds, readsBoolean, readsInteger, readsJson, readsList, readsWord } from '../../keywords.ts'
import { named } from '../../named.ts'

/** Alert channels of views and preset alerts (configuration and account API, section 5). */

export const INTEGRATIONS = ['email', 'pagerduty', 'slack', 'webhook'] as const
export const OPERATORS = ['presence', 'absence'] as const
/** `30` is thirty seconds. */
const PRESENCE_INTERVALS = ['30', '1m', '5m', '15m', '30m', '1h', '6h', '12h', '24h', '25h'] as const
const ABSENCE_INTERVALS = PRESENCE_INTERVALS.slice(1)
const WEBHOOK_METHODS = ['post', 'put', 'patch', 'get', 'delete'] as const

const COUNT = { minimum: 1, maximum: 100_000 }

/** The intervals that a channel accepts depend on its operator. */
function intervalMember(member: string) {
  return {
    if: holds('operator', 'absence'),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { properties: { [member]: readsWord(ABSENCE_INTERVALS) } },
    else: { properties: { [member]: readsWord(PRESENCE_INTERVALS) } },
  }
}

const IntervalWrite = Type.Unsafe<string>({
  description: `${PRESENCE_INTERVALS.join(', ')}; 30 means thirty seconds and is not allowed with the operator absence.`,
})
export const Uri = named('Uri', Type.String({ minLength: 1, format: 'uri' }))
export const Headers = named('Headers', Type.Record(Type.String(), Type.String()))
export const HeadersWrite = named(
  'HeadersWrite',
  Type.Record(Type.String(), Type.String({ format: 'HTTP header value' }), {
    propertyNames: { format: 'HTTP header name' },
  }),
)
export const EmailAddress = named('EmailAddress', Type.String({ minLength: 1, format: 'email' }))

/** One element of `channels` as it may be sent. */
export const ChannelWrite = named(
  'ChannelWrite',
  byWord(
    'integration',
    Type.Object(
      {
        integration: Type.Enum([...INTEGRATIONS]),
        operator: Type.Optional(Type.Enum([...OPERATORS], { default: 'presence' })),
        triggerlimit: Type.Optional(
          readsInteger({
            ...COUNT,
            description: 'Number of matching lines, 1 to 100000; default: 1. May be sent as a string.',
          }),
        ),
        triggerinterval: Type.Optional(IntervalWrite),
        immediate: Type.Optional(
          readsBoolean({
            description:
              'Whether to alert as soon as the limit is reached; default: false. May be sent as a string.',
          }),
        ),
        terminal: Type.Optional(
          readsBoolean({
            description:
              'Whether to alert at the end of the interval; default: true. May be sent as a string.',
          }),
        ),
        timezone: Type.Optional(
          Type.String({
            minLength: 1,
            format: 'timezone',
            description: 'Time zone, a name of the tz database.',
          }),
        ),
        blackout: Type.Optional(
          Type.Unsafe<JsonObject>({
            type: 'object',
            description: 'Times of the day and days of the week without alerts.',
          }),
        ),
      },
      intervalMember('triggerinterval'),
    ),
    {
      email: Type.Object({
        emails: readsList<string>(EmailAddress, { description: 'May be sent as one string with commas.' }),
      }),
      pagerduty: Type.Object(
        {
          key: Type.String({ minLength: 1 }),
          autoresolve: Type.Optional(readsBoolean()),
          autoresolvelimit: Type.Optional(readsInteger(COUNT)),
          autoresolveinterval: Type.Optional(IntervalWrite),
        },
        intervalMember('autoresolveinterval'),
      ),
      slack: Type.Object({ url: Uri, color: Type.Optional(Type.String()) }),
      webhook: Type.Object({
        url: Uri,
        method: Type.Optional(Type.Enum([...WEBHOOK_METHODS], { default: 'post' })),
        headers: Type.Optional(HeadersWrite),
        bodyTemplate: Type.Optional(
          readsJson<JsonValue>({ description: 'An object, or a string that contains JSON.' }),
        ),
      }),
    },
  ),
)
export type ChannelWrite = Type.Static<typeof ChannelWrite>

const common = {
  alertid: Type.String({ description: 'Ten hexadecimal digits, new with every write.' }),
  operator: Type.Enum([...OPERATORS]),
  triggerlimit: Type.Integer(COUNT),
  triggerinterval: Type.String(),
  immediate: Type.Boolean(),
  terminal: Type.Boolean(),
  timezone: Type.Optional(Type.String()),
  blackout: Type.Optional(Type.Unsafe<JsonObject>({ type: 'object' })),
}

/** One element of `channels` as it is kept and answered. */
export const ChannelRecord = named(
  'ChannelRecord',
  Type.Union([
    Type.Object({ integration: Type.Literal('email'), ...common, emails: Type.Array(Type.String()) }),
    Type.Object({
      integration: Type.Literal('pagerduty'),
      ...common,
      key: Type.String(),
      autoresolve: Type.Optional(Type.Boolean()),
      autoresolvelimit: Type.Optional(Type.Integer()),
      autoresolveinterval: Type.Optional(Type.String()),
    }),
    Type.Object({
      integration: Type.Literal('slack'),
      ...common,
      url: Type.String(),
      color: Type.Optional(Type.String()),
    }),
    Type.Object({
      integration: Type.Literal('webhook'),
      ...common,
      url: Type.String(),
      method: Type.Enum([...WEBHOOK_METHODS]),
      headers: Headers,
      bodyTemplate: Type.Optional(Type.String({ description: 'JSON text, indented by two blanks.' })),
    }),
  ]),
)
export type ChannelRecord = Type.Static<typeof ChannelRecord>

const HARMLESS: readonly string[] = [
  'integration',
  'alertid',
  'operator',
  'triggerlimit',
  'triggerinterval',
  'immediate',
  'terminal',
  'timezone',
  'blackout',
  'autoresolve',
  'autoresolvelimit',
  'autoresolveinterval',
  'color',
  'method',
]

/** Whether the audit trail may show a member's value: it reveals neither the recipient of alerts nor credentials. */
export function isHarmlessChannelMember(place: string): boolean {
  return HARMLESS.includes(place)
}
