import Type from 'typebox'
import { declareSource } from '../contract/define-source.ts'
import { captureMetadata } from '../options/capture-metadata.ts'

/** Rules: pipeline API, section 4; components, section 6.10. */
export const logstash = declareSource({
  type: 'logstash',
  summary: 'Events of the HTTP output of Logstash.',
  config: Type.Object(
    {
      format: Type.Optional(
        Type.Enum(['json', 'text'], {
          default: 'json',
          description: 'Form of a body: one JSON value, or lines of text',
        }),
      ),
      ...captureMetadata,
    },
    { additionalProperties: false },
  ),
  entrance: 'gateway',
  configs: [
    { sent: {}, defaults: { format: 'json' } },
    {
      sent: { format: 'text', capture_metadata: true },
    },
  ],
})
