import Type from 'typebox'

const Seconds = {
  from: Type.Integer({ description: 'UNIX seconds. Inclusive.' }),
  to: Type.Integer({ description: 'UNIX seconds. The whole second is included.' }),
}
const Days = {
  from: Type.String({ description: 'ISO 8601 date-time; only its day in UTC counts.' }),
  to: Type.String({ description: 'The same; this day is included.' }),
}
const Limit = Type.Optional(Type.Integer({ minimum: 1, description: 'Largest first; default: all.' }))
const Retention = Type.Optional(
  Type.String({
    pattern: '^[1-9][0-9]*d$',
    description: 'Only what lies in this variable-retention pool, such as 7d.',
  }),
)

const KindPath = Type.Object({
  kind: Type.Union([Type.Literal('apps'), Type.Literal('hosts'), Type.Literal('tags')]),
})
const NamePath = Type.Object({ ...KindPath.properties, name: Type.String() })

const LineUsage = Type.Object({
  name: Type.String(),
  current_total: Type.Integer({ description: 'Lines.' }),
  percentage_of_total: Type.Number({ description: 'Of all lines of the account in the period, 0 to 100.' }),
})
const Bounds = {
  from: Type.String({ description: 'Calculated start, exclusive.' }),
  to: Type.String({ description: 'Calculated end, exclusive.' }),
}
const ByteUsage = Type.Object({
  ...Bounds,
  results: Type.Array(Type.Object({ name: Type.String(), total_bytes: Type.Integer() })),
})
const ByteTotals = Type.Object({
  ...Bounds,
  results: Type.Object(
    { plan_bytes: Type.Integer(), restored_bytes: Type.Integer() },
    {
      additionalProperties: Type.Integer(),
      description: 'Also `{n}d_vr_bytes` for each variable-retention pool.',
    },
  ),
})

const tags = ['usage']

/** For the API document: the handlers validate by themselves. */
export const LINES_BY_KIND = {
  summary: 'Lines per app, host or tag',
  tags,
  params: KindPath,
  querystring: Type.Object({ ...Seconds, limit: Limit }),
  response: { 200: Type.Array(LineUsage) },
}
export const LINES_BY_NAME = {
  summary: 'Lines of one app, host or tag',
  tags,
  params: NamePath,
  querystring: Type.Object(Seconds),
  response: { 200: Type.Union([Type.Array(LineUsage), Type.Null()]) },
}
export const TOTALS = {
  summary: 'Bytes by pool of retention',
  tags,
  querystring: Type.Object(Days),
  response: { 200: ByteTotals },
}
export const BYTES_BY_KIND = {
  summary: 'Bytes per app, host or tag',
  tags,
  params: KindPath,
  querystring: Type.Object({ ...Days, limit: Limit, retention: Retention }),
  response: { 200: ByteUsage },
}
export const BYTES_BY_NAME = {
  summary: 'Bytes of one app, host or tag',
  tags,
  params: NamePath,
  querystring: Type.Object({ ...Days, retention: Retention }),
  response: { 200: ByteUsage },
}
