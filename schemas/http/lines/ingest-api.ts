import Type from 'typebox'
import { named } from '../../named.ts'
import { INGEST_ERROR_REPLIES } from '../error-replies.ts'

const IngestedLine = named(
  'IngestedLine',
  Type.Object({
    line: Type.String({ description: 'The text. Over 16,384 bytes of UTF-8 it is cut.' }),
    timestamp: Type.Optional(
      Type.Union([Type.Number(), Type.String()], {
        description:
          'UNIX time in any unit, recognised by its magnitude, or an RFC 3339 date-time. Default: time of arrival.',
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
  }),
)

const IngestedLines = named('IngestedLines', Type.Object({ lines: Type.Array(IngestedLine) }))
const LinesAccepted = named('LinesAccepted', Type.Object({ status: Type.String(), batchID: Type.String() }))
const LinesPartlyAccepted = named(
  'LinesPartlyAccepted',
  Type.Object({ status: Type.Array(Type.Integer()), batchID: Type.String() }),
)

/** Schema of ingestion for the API document. */
export const ingestSchema = {
  summary: 'Ingest lines',
  description: 'Answers when the lines are durable. Lines without a text are refused one by one (207).',
  tags: ['Ingestion'],
  querystring: Type.Object({
    hostname: Type.String(),
    mac: Type.Optional(Type.String()),
    ip: Type.Optional(Type.String()),
    now: Type.Optional(Type.String({ description: "The sender's clock, UNIX milliseconds." })),
    tags: Type.Optional(Type.String({ description: 'Comma-separated list.' })),
    apikey: Type.Optional(
      Type.String({ description: 'Ingestion key, for clients that cannot send it in a header.' }),
    ),
  }),
  headers: Type.Object({
    apikey: Type.Optional(Type.String({ description: 'Ingestion key.' })),
    'idempotency-key': Type.Optional(
      Type.String({
        description:
          'A repeat with this key and the same body is stored once; with another body it is 409. Only the body is compared. ' +
          'Parameters of the query, such as hostname, do not count, and those of the first request are kept.',
      }),
    ),
  }),
  body: IngestedLines,
  response: {
    200: LinesAccepted,
    207: LinesPartlyAccepted,
    ...INGEST_ERROR_REPLIES,
  },
}
