import Type from 'typebox'

const Line = Type.Object({
  line: Type.String({ description: 'The text. Over 16,384 bytes of UTF-8 it is cut.' }),
  timestamp: Type.Optional(
    Type.Union([Type.Number(), Type.String()], {
      description:
        'UNIX time, its unit told by magnitude, or a date-time of RFC 3339. Default: time of reception.',
    }),
  ),
  app: Type.Optional(Type.String()),
  level: Type.Optional(Type.String()),
  env: Type.Optional(Type.String()),
  file: Type.Optional(Type.String({ description: 'Path of the file that the line was read from.' })),
  hostname: Type.Optional(Type.String({ description: 'Instead of the hostname of the request.' })),
  meta: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
      description: 'An object is searchable by its fields, a string by its words.',
    }),
  ),
  tags: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
})

/** What OpenAPI says about ingestion. */
export const ingestSchema = {
  summary: 'Ingest lines',
  description: 'Answers when the lines are durable. Lines without a text are refused one by one (207).',
  tags: ['Ingestion'],
  querystring: Type.Object({
    hostname: Type.String(),
    mac: Type.Optional(Type.String()),
    ip: Type.Optional(Type.String()),
    now: Type.Optional(Type.String({ description: "The sender's clock, UNIX milliseconds." })),
    tags: Type.Optional(Type.String({ description: 'Separated by commas.' })),
    apikey: Type.Optional(Type.String({ description: 'Ingestion key, where a header cannot carry it.' })),
  }),
  headers: Type.Object({
    apikey: Type.Optional(Type.String({ description: 'Ingestion key.' })),
    'idempotency-key': Type.Optional(
      Type.String({
        description:
          'A repeat with this key and the same body is stored once; with another body it is 409. The body alone makes ' +
          'requests the same: the parameters of the query, such as hostname, do not count, and the first ones stay.',
      }),
    ),
  }),
  body: Type.Object({ lines: Type.Array(Line) }),
  response: {
    200: Type.Object({ status: Type.String(), batchID: Type.String() }),
    207: Type.Object({ status: Type.Array(Type.Integer()), batchID: Type.String() }),
  },
}
