import Type from 'typebox'
import { named } from '../../named.ts'
import { EnvelopeOf } from '../envelope.ts'
import { V3_ERROR_REPLIES } from '../error-replies.ts'
import { TIME_FORMS } from '../time-forms.ts'

/** Bounds of the number of names, and its default. */
export const SERIES_NAMES = { min: 1, max: 100, usual: 10 } as const
/** Intervals of one answer at most: three months of hours. */
export const MAX_INTERVALS = 2_300

const Counts = Type.Array(Type.Integer({ minimum: 0 }), { description: 'One for each interval.' })

const UsageSeries = named('UsageSeries', Type.Object({ name: Type.String(), lines: Counts, bytes: Counts }))
const OtherUsage = named('OtherUsage', Type.Object({ lines: Counts, bytes: Counts }))

export const UsageOverTime = named(
  'UsageOverTime',
  Type.Object({
    kind: Type.Enum(['apps', 'hosts', 'tags', 'pools']),
    from: Type.Integer({ description: 'UNIX milliseconds.' }),
    to: Type.Integer({ description: 'UNIX milliseconds. Inclusive.' }),
    interval: Type.Enum(['hour', 'day']),
    starts: Type.Array(Type.Integer(), { description: 'Beginning of each interval, UNIX milliseconds.' }),
    series: Type.Array(UsageSeries, {
      description:
        'The names that were asked for, or those of most bytes in the whole period. Pools: plan, or days such as 7d.',
    }),
    other: OtherUsage,
    exact: Type.Boolean({
      description:
        'False if retention has removed lines of the period, and they are missing. Whole UTC days are always exact.',
    }),
  }),
)
export type UsageOverTime = Type.Static<typeof UsageOverTime>

/** The handler validates by itself. */
export const USAGE_SERIES = {
  summary: 'Count bytes and lines per app, host, tag or pool, in hours or days',
  description:
    'A line with several tags counts for each of them. Like all usage it counts all lines, also those outside the groups of a member.',
  tags: ['usage'],
  querystring: Type.Object({
    kind: Type.Enum(['apps', 'hosts', 'tags', 'pools']),
    from: Type.Union([Type.Integer(), Type.String()], {
      description: `Start of the period: ${TIME_FORMS}.`,
    }),
    to: Type.Union([Type.Integer(), Type.String()], {
      description: 'End of the period, in the same forms. A second or a date is included as a whole.',
    }),
    interval: Type.Optional(
      Type.Enum(['hour', 'day'], { description: 'Default: hours up to three days, else days.' }),
    ),
    zone: Type.Optional(
      Type.String({
        default: 'UTC',
        description: 'Time zone in which hours and days begin, such as Europe/Berlin.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: SERIES_NAMES.min,
        maximum: SERIES_NAMES.max,
        default: SERIES_NAMES.usual,
        description: 'Number of names, those of most bytes first.',
      }),
    ),
    names: Type.Optional(
      Type.String({ description: 'Names, separated by commas: these are shown, in place of the largest.' }),
    ),
  }),
  response: { 200: EnvelopeOf(UsageOverTime), ...V3_ERROR_REPLIES },
}
