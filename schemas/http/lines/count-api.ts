import Type from 'typebox'
import { named } from '../../named.ts'
import { EnvelopeOf } from '../envelope.ts'
import { V3_ERROR_REPLIES } from '../error-replies.ts'
import { INCOMPLETE_DESCRIPTION, LineLists, SearchedPeriod, SearchQuery } from './export-api.ts'

/** Bounds of the parameters, and their defaults. */
export const BUCKETS = { min: 10, max: 2000, usual: 60 } as const
export const BUDGET_MS = { min: 100, max: 30_000, usual: 2000 } as const
export const FACET_VALUES = { min: 1, max: 1000, usual: 10 } as const
export const MAX_FACET_FIELDS = 10

const COUNTED =
  'Lines are counted exactly, from the newest on, in parts of the period. After `budget_ms` no further part is begun: `complete` is then false, and the counts are those of the lines from `covered_from` on. The first part is counted nevertheless, and so are whole minutes that need no lines, if they need at most five seconds more.'

const FIELD = 'app, host, level, file, env, tag or the name of a parsed field, as in the query language'

const Counted = {
  ...SearchedPeriod,
  ...SearchQuery,
  ...LineLists,
  budget_ms: Type.Optional(
    Type.Integer({ minimum: BUDGET_MS.min, maximum: BUDGET_MS.max, default: BUDGET_MS.usual }),
  ),
}

const Lines = Type.Integer({ minimum: 0 })
const Coverage = {
  complete: Type.Boolean({
    description:
      'Whether all lines of the period were counted. False as well if fields were left out on a day with too many names: see the header `x-weir-incomplete`.',
  }),
  covered_from: Type.Integer({
    description: 'UNIX milliseconds. Older lines were not counted. After `to`: no lines were counted.',
  }),
}

const Histogram = named(
  'Histogram',
  Type.Object({
    from: Type.Integer({ description: 'UNIX milliseconds, inclusive.' }),
    to: Type.Integer({ description: 'UNIX milliseconds, inclusive.' }),
    interval_ms: Type.Integer({
      description: 'Usual length of a bucket. Days and longer ones are as long as the calendar says.',
    }),
    starts: Type.Array(Type.Integer(), {
      description: 'Starts of the buckets, UNIX milliseconds. The first may be before `from`.',
    }),
    series: Type.Array(Type.Object({ name: Type.String(), lines: Type.Array(Lines) }), {
      description: 'Up to ten values of the field `by` with most lines, and their lines per bucket.',
    }),
    other: Type.Array(Lines, {
      description: 'Lines per bucket that have none of these values; without `by`, all lines.',
    }),
    lines: Type.Integer({ minimum: 0, description: 'All counted lines.' }),
    ...Coverage,
  }),
)

const Facet = named(
  'Facet',
  Type.Object({
    field: Type.String(),
    values: Type.Array(Type.Object({ value: Type.String(), lines: Lines }), {
      description: 'Most lines first. A line with several values counts for each of them.',
    }),
    other: Type.Integer({ minimum: 0, description: 'Lines of the values that are not listed.' }),
    absent: Type.Integer({ minimum: 0, description: 'Lines without a value.' }),
    distinct: Type.Integer({ minimum: 0, description: 'Number of values; if not `exact`, at least.' }),
    exact: Type.Boolean({
      description:
        'False if not all lines of the period were counted, or if the field has so many values that counts may be too low.',
    }),
    of_lines: Type.Integer({ minimum: 0, description: 'All counted lines.' }),
    ...Coverage,
  }),
)

/** Schemas for the API document: the handlers validate by themselves. */
export const HISTOGRAM = {
  summary: 'Count lines over time',
  description: `${COUNTED} ${INCOMPLETE_DESCRIPTION}`,
  tags: ['search'],
  querystring: Type.Object({
    ...Counted,
    by: Type.Optional(Type.String({ description: `Field whose values are counted separately: ${FIELD}.` })),
    buckets: Type.Optional(
      Type.Integer({
        minimum: BUCKETS.min,
        maximum: BUCKETS.max,
        default: BUCKETS.usual,
        description: 'At most this many. They begin at round times of the zone.',
      }),
    ),
    zone: Type.Optional(
      Type.String({ default: 'UTC', description: 'Time zone, as Europe/Berlin or +02:00.' }),
    ),
  }),
  response: { 200: EnvelopeOf(Histogram), ...V3_ERROR_REPLIES },
}

export const FACET = {
  summary: 'Count lines by values of fields',
  description: `${COUNTED} ${INCOMPLETE_DESCRIPTION}`,
  tags: ['search'],
  querystring: Type.Object({
    ...Counted,
    fields: Type.String({ description: `Up to ${MAX_FACET_FIELDS}, separated by commas: ${FIELD}.` }),
    limit: Type.Optional(
      Type.Integer({
        minimum: FACET_VALUES.min,
        maximum: FACET_VALUES.max,
        default: FACET_VALUES.usual,
        description: 'Values per field.',
      }),
    ),
  }),
  response: { 200: EnvelopeOf(Type.Array(Facet)), ...V3_ERROR_REPLIES },
}
