import Type from 'typebox'
import { declareDestination } from '../contract/define-destination.ts'
import { Secret } from '../contract/secret.ts'
import { ackEnabled, batchTimeoutSecs, compression, encoding } from '../options/delivery-options.ts'
import { consolidationProblems, fileConsolidation } from '../options/file-consolidation.ts'
import { templateProblems } from '../options/template-option.ts'

const CONNECTION_STRING = 'DefaultEndpointsProtocol=https;AccountName=example;AccountKey=a2V5'

/** Objects in a container of Azure: components, section 7.9. The connection string is not examined. */
export const azureBlobStorage = declareDestination({
  type: 'azure-blob-storage',
  summary: 'Write events to objects in a container of Azure Blob Storage.',
  config: Type.Object(
    {
      ack_enabled: ackEnabled,
      container_name: Type.String({ minLength: 1, description: 'Container to write to' }),
      connection_string: Secret({ minLength: 1, description: 'Connection string of the account' }),
      prefix: Type.Optional(
        Type.String({ minLength: 1, description: 'Begin of the names of objects; may refer to fields' }),
      ),
      encoding,
      compression,
      batch_timeout_secs: batchTimeoutSecs,
      file_consolidation: fileConsolidation,
    },
    { additionalProperties: false },
  ),
  check: sent => [...templateProblems('/prefix', sent.prefix), ...consolidationProblems(sent)],
  configs: [
    {
      sent: { container_name: 'logs', connection_string: CONNECTION_STRING },
      defaults: { ack_enabled: true, encoding: 'text', compression: 'none', batch_timeout_secs: 300 },
    },
    {
      sent: {
        ack_enabled: false,
        container_name: 'logs',
        connection_string: CONNECTION_STRING,
        prefix: 'weir/{{ .app }}/',
        encoding: 'text',
        compression: 'gzip',
        batch_timeout_secs: 60,
        file_consolidation: { enabled: true },
      },
      defaults: {
        file_consolidation: { process_every_seconds: 600, requested_size_bytes: 500_000_000, base_path: '' },
      },
    },
  ],
})
