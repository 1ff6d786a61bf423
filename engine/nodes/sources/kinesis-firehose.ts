import Type from 'typebox'
import { declareSource } from '../contract/define-source.ts'
import { COMMON_KEY_PLACES } from '../contract/key-place.ts'
import { captureMetadata } from '../options/capture-metadata.ts'

/** Rules: pipeline API, section 4; components, section 6.4. */
export const kinesisFirehose = declareSource({
  type: 'kinesis-firehose',
  summary: 'Deliveries of a Kinesis Firehose stream.',
  config: Type.Object(
    {
      format: Type.Optional(
        Type.Enum(['text', 'json'], { default: 'json', description: "Form of a record's data" }),
      ),
      ...captureMetadata,
    },
    { additionalProperties: false },
  ),
  entrance: 'gateway',
  keys: [{ header: 'x-amz-firehose-access-key' }, ...COMMON_KEY_PLACES],
  configs: [
    { sent: {}, defaults: { format: 'json' } },
    {
      sent: { format: 'text', capture_metadata: true },
    },
  ],
})
