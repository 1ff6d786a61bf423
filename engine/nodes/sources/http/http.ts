import Type from 'typebox'
import { defineSource } from '../../contract/define-source.ts'
import { captureMetadata } from '../../options/capture-metadata.ts'

/** Rules: pipeline API, section 4; components, section 6.2. */
export const http = defineSource({
  type: 'http',
  summary: 'Anything that is sent by HTTP POST.',
  config: Type.Object(
    {
      decoding: Type.Optional(
        Type.Enum(['bytes', 'json', 'ndjson', 'auto', 'text'], {
          default: 'auto',
          description:
            'How a body becomes events: bytes (or text) makes one of every line, json one of the body or one of each element ' +
            'of an array, ndjson one of every line of JSON; auto takes the first that fits of json, ndjson and bytes',
        }),
      ),
      ...captureMetadata,
    },
    { additionalProperties: false },
  ),
  isPush: true,
  entrance: 'gateway',
  since: 4,
  configs: [
    { sent: {}, stored: { decoding: 'auto' } },
    {
      sent: { decoding: 'ndjson', capture_metadata: true },
      stored: { decoding: 'ndjson', capture_metadata: true },
    },
  ],
})
