import Type from 'typebox'
import { uriProblems } from '../../conditions/uri.ts'
import { declareDestination } from '../contract/define-destination.ts'
import { Secret } from '../contract/secret.ts'
import { ackEnabled, batchTimeoutSecs, compression, encodingWithNdjson } from '../options/delivery-options.ts'
import { consolidationProblems, fileConsolidation } from '../options/file-consolidation.ts'
import { templateProblems } from '../options/template-option.ts'

/** Objects in a bucket of S3, or of a compatible service: components, section 7.6. */
export const s3 = declareDestination({
  type: 's3',
  summary: 'Write events to objects in a bucket of Amazon S3 or of a compatible service.',
  config: Type.Object(
    {
      ack_enabled: ackEnabled,
      auth: Type.Object(
        {
          access_key_id: Type.String({ minLength: 1, description: 'Id of the access key' }),
          secret_access_key: Secret({ minLength: 1, description: 'Secret of the access key' }),
        },
        { additionalProperties: false, description: 'Access key that may write to the bucket' },
      ),
      region: Type.String({ minLength: 1, description: 'Region of the bucket' }),
      bucket: Type.String({ minLength: 1, description: 'Bucket to write to' }),
      prefix: Type.Optional(
        Type.String({
          minLength: 1,
          default: '/',
          description: 'Begin of the names of objects; may refer to fields and to the time (%Y, %m, %d)',
        }),
      ),
      encoding: encodingWithNdjson,
      compression,
      batch_timeout_secs: batchTimeoutSecs,
      file_consolidation: fileConsolidation,
      tags: Type.Optional(
        Type.Array(
          Type.Object(
            {
              name: Type.String({ minLength: 1, description: 'Name of the tag' }),
              value: Type.String({ description: 'Value of the tag' }),
            },
            { additionalProperties: false },
          ),
          { description: 'Tags of every object' },
        ),
      ),
      endpoint: Type.Optional(
        Secret({ minLength: 1, description: 'Address of another service that speaks like S3' }),
      ),
    },
    { additionalProperties: false },
  ),
  check: sent => [
    ...templateProblems('/prefix', sent.prefix),
    ...uriProblems('/endpoint', sent.endpoint),
    ...consolidationProblems(sent),
  ],
  configs: [
    {
      sent: {
        auth: { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'secret' },
        region: 'eu-central-1',
        bucket: 'logs',
      },
      defaults: {
        ack_enabled: true,
        prefix: '/',
        encoding: 'text',
        compression: 'none',
        batch_timeout_secs: 300,
      },
    },
    {
      sent: {
        ack_enabled: false,
        auth: { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'secret' },
        region: 'us-east-1',
        bucket: 'logs',
        prefix: '{{ .app }}/%Y/%m/%d/',
        encoding: 'ndjson',
        compression: 'gzip',
        batch_timeout_secs: 60,
        file_consolidation: {
          enabled: true,
          process_every_seconds: 300,
          requested_size_bytes: 50_000_000,
          base_path: 'web',
        },
        tags: [{ name: 'team', value: 'platform' }],
        endpoint: 'https://objects.example.com',
      },
    },
  ],
})
