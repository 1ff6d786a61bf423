import Type from 'typebox'

const Refusal = Type.Object({
  status: Type.Literal('error'),
  code: Type.String(),
  error: Type.String(),
})

/** For the API document alone: a body is read as the source says that has the route. */
export const pushSchema = {
  summary: 'Send data to a gateway route',
  description:
    'Data comes into the deployed pipelines with a source of the route. An access key of the route is expected in ' +
    '`Authorization: <key>`, `Authorization: Bearer <key>` or `apikey: <key>`. The body may be compressed with gzip, deflate, ' +
    'zstd or snappy (block form). A request is taken whole or not at all; 200 means that its events are durable. Anything may ' +
    'follow the id of the route in the path. PUT is the same.',
  tags: ['Ingestion'],
  params: Type.Object({ routeId: Type.String({ description: 'Id of the gateway route.' }) }),
  body: Type.Unknown({
    description: 'Whatever the source takes; of what content type it says it is means nothing.',
  }),
  response: {
    200: Type.Object({ status: Type.Literal('ok') }),
    400: Refusal,
    401: Refusal,
    403: Refusal,
    404: Refusal,
    409: Refusal,
    413: Refusal,
    415: Refusal,
    503: Refusal,
  },
}
