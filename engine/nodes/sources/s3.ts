import Type from 'typebox'
import { declareSource } from '../contract/define-source.ts'
import { Secret } from '../contract/secret.ts'
import { awsAccess } from '../options/aws-access.ts'

const ANNOUNCED = {
  auth: { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'a secret' },
  region: 'eu-central-1',
  sqs_queue_url: 'https://sqs.eu-central-1.amazonaws.com/123456789012/new-objects',
}

/** Rules: pipeline API, section 4; components, section 6.11. */
export const s3 = declareSource({
  type: 's3',
  summary: 'Lines of the objects in S3 whose creation is announced on an SQS queue.',
  config: Type.Object(
    {
      ...awsAccess,
      sqs_queue_url: Secret({ minLength: 7, description: 'Address of the queue with the notices' }),
      compression: Type.Optional(
        Type.Enum(['auto', 'gzip', 'none', 'zstd'], {
          default: 'auto',
          description: 'Compression of the objects; auto looks at their names and content',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  entrance: 'pull',
  configs: [
    { sent: ANNOUNCED, defaults: { compression: 'auto' } },
    { sent: { ...ANNOUNCED, compression: 'zstd' } },
  ],
})
