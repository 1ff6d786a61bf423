import Type from 'typebox'
import { declareSource } from '../contract/define-source.ts'
import { Secret } from '../contract/secret.ts'
import { awsAccess } from '../options/aws-access.ts'

const ORDERS = {
  queue_url: 'https://sqs.eu-central-1.amazonaws.com/123456789012/orders',
  auth: { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'a secret' },
  region: 'eu-central-1',
}

/** Rules: pipeline API, section 4; components, section 6.11. */
export const sqs = declareSource({
  type: 'sqs',
  summary: 'Messages of an SQS queue.',
  config: Type.Object(
    {
      queue_url: Secret({ minLength: 7, maxLength: 128, description: 'Address of the queue' }),
      ...awsAccess,
    },
    { additionalProperties: false },
  ),
  entrance: 'pull',
  configs: [{ sent: ORDERS }],
})
