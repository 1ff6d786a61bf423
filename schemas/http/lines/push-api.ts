import Type from 'typebox'
import { named } from '../../named.ts'

const PushError = named(
  'PushError',
  Type.Object({
    status: Type.Literal('error'),
    code: Type.String(),
    error: Type.String(),
  }),
)

const PushedData = named('PushedData', Type.Object({ status: Type.Literal('ok') }))

/** Schema only for the API document: the source of the gateway route reads the body. */
export const pushSchema = {
  summary: 'Send data to a gateway route',
  description:
    'Data enters the deployed pipelines with a source of the gateway route. An access key of it is required, as ' +
    '`Authorization: <key>`, `Authorization: Bearer <key>` or `apikey: <key>`, or where the protocol of the source puts it. The ' +
    'body may be compressed with gzip, deflate, zstd or snappy (block form). A request is accepted whole or not at all; 200 means that its events are durable. The path ' +
    'may continue after the id of the route. PUT does the same.',
  tags: ['Ingestion'],
  params: Type.Object({ routeId: Type.String({ description: 'Id of the gateway route.' }) }),
  body: Type.Unknown({
    description: 'Any data that the source accepts; the content type is ignored.',
  }),
  response: {
    200: PushedData,
    400: PushError,
    401: PushError,
    403: PushError,
    404: PushError,
    409: PushError,
    413: PushError,
    415: PushError,
    503: PushError,
    508: PushError,
  },
}
