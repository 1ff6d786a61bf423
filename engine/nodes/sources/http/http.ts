import Type from 'typebox'
import { definePushSource, type PushHead } from '../../contract/define-push-source.ts'
import { captureMetadata, keepsMetadata } from '../../options/capture-metadata.ts'
import { decodingMessages } from './http-decoding.ts'

const JSON_TYPE = /^application\/json\s*(?:[;,]|$)/i

/** Whether a request says that its body is JSON. */
function saysJson({ headers }: PushHead): boolean {
  return JSON_TYPE.test(String(headers['content-type'] ?? '').trim())
}

/** Rules: pipeline API, section 4; components, section 6.2. */
export const http = definePushSource({
  type: 'http',
  summary: 'Anything that is sent by HTTP POST.',
  config: Type.Object(
    {
      decoding: Type.Optional(
        Type.Enum(['bytes', 'json', 'ndjson', 'auto', 'text'], {
          default: 'auto',
          description:
            'Rule by which a body becomes events. bytes (or text): one per line. json: one for the body, or one per element of an array. ' +
            'ndjson: one per line of JSON. auto: the first that fits of json, ndjson and bytes, but not bytes if the content type is application/json',
        }),
      ),
      ...captureMetadata,
    },
    { additionalProperties: false },
  ),
  entrance: 'gateway',
  since: 4,
  errors: ['E_EVENT_NOT_JSON', 'E_EVENT_NOT_NDJSON'],
  keepsMetadata,

  *decode(request, { decoding = 'auto' }) {
    const decoded = yield* decodingMessages(request, decoding, saysJson(request.head))
    return Array.isArray(decoded) ? { messages: decoded, reply: { body: { status: 'ok' } } } : decoded
  },

  examples: [
    {
      title: 'auto: an array is one event per element',
      config: {},
      body: '[{"door":7},"open"]',
      messages: [{ door: 7 }, 'open'],
    },
    {
      title: 'auto: lines that are not JSON are texts, and blank ones are left out',
      config: {},
      body: 'door=7 open\n\ndoor=8\n',
      messages: ['door=7 open', 'door=8'],
    },
    {
      title: 'auto: a body that is neither is refused if its content type is application/json',
      config: {},
      head: { headers: { 'content-type': 'application/json; charset=utf-8' } },
      body: '{"door":7',
      refused: ['E_EVENT_NOT_JSON', null],
    },
    {
      title: 'auto: lines of JSON are accepted under that content type, too',
      config: {},
      head: { headers: { 'content-type': 'application/json' } },
      body: '{"door":7}\n{"door":8}\n',
      messages: [{ door: 7 }, { door: 8 }],
    },
    {
      title: 'ndjson: an array on a line is one event',
      config: { decoding: 'ndjson' },
      body: '{"door":7}\n[1,2]\n',
      messages: [{ door: 7 }, [1, 2]],
    },
    {
      title: 'bytes: every line is a text, also one of JSON',
      config: { decoding: 'bytes' },
      body: '{"door":7}',
      messages: ['{"door":7}'],
    },
    { title: 'an empty body has no events', config: { decoding: 'json' }, body: '', messages: [] },
    {
      title: 'json: a body that is not one JSON text is refused as a whole',
      config: { decoding: 'json' },
      body: '{"door":7} {"door":8}',
      refused: ['E_EVENT_NOT_JSON', null],
    },
    {
      title: 'ndjson: the number of the first bad line is the field of the error',
      config: { decoding: 'ndjson' },
      body: '{"door":7}\nnope\n',
      refused: ['E_EVENT_NOT_NDJSON', '2'],
    },
  ],
  configs: [
    { sent: {}, defaults: { decoding: 'auto' } },
    {
      sent: { decoding: 'ndjson', capture_metadata: true },
    },
  ],
})
