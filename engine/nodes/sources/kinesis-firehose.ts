import Type from 'typebox'
import { defineSource } from '../contract/define-source.ts'
import { captureMetadata } from '../options/capture-metadata.ts'

/** Rules: pipeline API, section 4; components, section 6.4. */
export const kinesisFirehose = defineSource({
  type: 'kinesis-firehose',
  summary: 'Deliveries of a Kinesis Firehose stream.',
  config: Type.Object(
    {
      format: Type.Optional(
        Type.Enum(['text', 'json'], { default: 'json', description: 'What the data of a record is' }),
      ),
      ...captureMetadata,
    },
    { additionalProperties: false },
  ),
  isPush: true,
  entrance: null,
  configs: [
    { sent: {}, stored: { format: 'json' } },
    {
      sent: { format: 'text', capture_metadata: true },
      stored: { format: 'text', capture_metadata: true },
    },
  ],
})
