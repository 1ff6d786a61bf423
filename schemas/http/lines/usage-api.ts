import Type from 'typebox'
import { named } from '../../named.ts'
import { V1_ERROR_REPLIES } from '../error-replies.ts'

const Seconds = {
  from: Type.Union([Type.Integer(), Type.String()], {
    description: 'UNIX seconds, ISO 8601, or relative to now: today, -1d. Inclusive.',
  }),
  to: Type.Union([Type.Integer(), Type.String()], {
    description: 'End of the period, in the same forms. The second or date is included as a whole.',
  }),
}
const Days = {
  from: Type.String({
    description: 'ISO 8601 date-time, or relative to now: today, -7d. Only its day in UTC counts.',
  }),
  to: Type.String({ description: 'The same forms. Only the day in UTC counts, and it is included.' }),
}
const Limit = Type.Optional(
  Type.Integer({ minimum: 1, description: 'Maximum number of entries, largest first; default: all.' }),
)
const Retention = Type.Optional(
  Type.String({
    pattern: '^[1-9][0-9]*d$',
    description: 'Restricts the result to this variable-retention pool, such as 7d.',
  }),
)

const KindPath = Type.Object({
  kind: Type.Union([Type.Literal('apps'), Type.Literal('hosts'), Type.Literal('tags')]),
})
const NamePath = Type.Object({ ...KindPath.properties, name: Type.String() })

const LineUsage = named(
  'LineUsage',
  Type.Object({
    name: Type.String(),
    current_total: Type.Integer({ description: 'Lines.' }),
    percentage_of_total: Type.Number({
      description: 'Percentage of all lines of the account in the period, 0 to 100.',
    }),
  }),
)
const LineUsageOfName = named(
  'LineUsageOfName',
  Type.Union([Type.Array(LineUsage), Type.Null()], {
    description: 'Null if the name has no lines in the period.',
  }),
)
const Bounds = {
  from: Type.String({ description: 'Calculated start, exclusive.' }),
  to: Type.String({ description: 'Calculated end, exclusive.' }),
}
const ByteUsage = named(
  'ByteUsage',
  Type.Object({
    ...Bounds,
    results: Type.Array(Type.Object({ name: Type.String(), total_bytes: Type.Integer() })),
  }),
)
const ByteTotals = named(
  'ByteTotals',
  Type.Object({
    ...Bounds,
    results: Type.Object(
      { plan_bytes: Type.Integer(), restored_bytes: Type.Integer() },
      {
        additionalProperties: Type.Integer(),
        description: 'Bytes by pool; `{n}d_vr_bytes` exists for each variable-retention pool.',
      },
    ),
  }),
)

const tags = ['usage']

/** Schemas for the API document: the handlers validate by themselves. */
export const LINES_BY_KIND = {
  summary: 'Count lines per app, host or tag',
  tags,
  params: KindPath,
  querystring: Type.Object({ ...Seconds, limit: Limit }),
  response: { 200: Type.Array(LineUsage), ...V1_ERROR_REPLIES },
}
export const LINES_BY_NAME = {
  summary: 'Count lines of one app, host or tag',
  tags,
  params: NamePath,
  querystring: Type.Object(Seconds),
  response: { 200: LineUsageOfName, ...V1_ERROR_REPLIES },
}
export const TOTALS = {
  summary: 'Sum bytes per retention pool',
  tags,
  querystring: Type.Object(Days),
  response: { 200: ByteTotals, ...V1_ERROR_REPLIES },
}
export const BYTES_BY_KIND = {
  summary: 'Sum bytes per app, host or tag',
  tags,
  params: KindPath,
  querystring: Type.Object({ ...Days, limit: Limit, retention: Retention }),
  response: { 200: ByteUsage, ...V1_ERROR_REPLIES },
}
export const BYTES_BY_NAME = {
  summary: 'Sum bytes of one app, host or tag',
  tags,
  params: NamePath,
  querystring: Type.Object({ ...Days, retention: Retention }),
  response: { 200: ByteUsage, ...V1_ERROR_REPLIES },
}
