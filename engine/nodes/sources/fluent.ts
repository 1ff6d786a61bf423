import Type from 'typebox'
import { declareSource } from '../contract/define-source.ts'
import { captureMetadata } from '../options/capture-metadata.ts'

/** Rules: pipeline API, section 4; components, section 6.10. */
export const fluent = declareSource({
  type: 'fluent',
  summary: 'Records of the HTTP output of Fluentd or Fluent Bit.',
  config: Type.Object(
    {
      decoding: Type.Optional(
        Type.Enum(['bytes', 'json', 'ndjson'], {
          default: 'json',
          description: 'Rule by which a body becomes events',
        }),
      ),
      ...captureMetadata,
    },
    { additionalProperties: false },
  ),
  entrance: 'gateway',
  configs: [
    { sent: {}, defaults: { decoding: 'json' } },
    {
      sent: { decoding: 'ndjson', capture_metadata: false },
    },
  ],
})
