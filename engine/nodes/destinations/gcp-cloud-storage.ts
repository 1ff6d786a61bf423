import Type from 'typebox'
import { declareDestination } from '../contract/define-destination.ts'
import { ackEnabled, batchTimeoutSecs, compression, encoding } from '../options/delivery-options.ts'
import { credentialsJson, credentialsProblems } from '../options/gcp-credentials.ts'
import { templateProblems } from '../options/template-option.ts'

/** Objects in a bucket of Google Cloud: components, section 7.9. */
export const gcpCloudStorage = declareDestination({
  type: 'gcp-cloud-storage',
  summary: 'Write events to objects in a bucket of Google Cloud Storage.',
  config: Type.Object(
    {
      ack_enabled: ackEnabled,
      bucket: Type.String({ minLength: 1, description: 'Bucket to write to' }),
      credentials_json: credentialsJson,
      bucket_prefix: Type.Optional(
        Type.String({ minLength: 1, description: 'Begin of the names of objects; may refer to fields' }),
      ),
      encoding,
      compression,
      batch_timeout_secs: batchTimeoutSecs,
    },
    { additionalProperties: false },
  ),
  check: sent => [...templateProblems('/bucket_prefix', sent.bucket_prefix), ...credentialsProblems(sent)],
  configs: [
    {
      sent: { bucket: 'logs', credentials_json: '{}' },
      defaults: { ack_enabled: true, encoding: 'text', compression: 'none', batch_timeout_secs: 300 },
    },
    {
      sent: {
        ack_enabled: false,
        bucket: 'logs',
        credentials_json: '{"type":"service_account"}',
        bucket_prefix: 'weir/',
        encoding: 'json',
        compression: 'gzip',
        batch_timeout_secs: 30,
      },
    },
  ],
})
