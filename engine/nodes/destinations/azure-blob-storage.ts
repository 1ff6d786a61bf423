import Type, { type Static } from 'typebox'
import { THIRTEENTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { HttpOutcome, HttpRequest } from '../../outbound/http-exchange.ts'
import { percentEncoded } from '../../outbound/percent-encoded.ts'
import { type Batch, defineDestination, type EncodedRequest } from '../contract/define-destination.ts'
import { Secret } from '../contract/secret.ts'
import { datedTemplateProblems } from '../http/dated-template.ts'
import { statusVerdict } from '../http/http-verdict.ts'
import { CHECKED_NAME, objectBatches } from '../http/object-batch.ts'
import { type AzureAccount, azureAccountOf, connectionStringProblems } from '../options/azure-account.ts'
import { ackEnabled, batchTimeoutSecs, compression, encoding } from '../options/delivery-options.ts'
import {
  consolidationProblems,
  consolidationPublishProblems,
  fileConsolidation,
} from '../options/file-consolidation.ts'
import { templateProblems } from '../options/template-option.ts'

/** Version of the interface, for which the key of an account suffices. */
const API_VERSION = '2021-12-02'
const CONTAINER = /^(?=.{3,63}$)[a-z0-9](?:-?[a-z0-9])*$/
const CONNECTION_STRING = 'DefaultEndpointsProtocol=https;AccountName=example;AccountKey=a2V5'

const AzureBlobOptions = Type.Object(
  {
    ack_enabled: ackEnabled,
    container_name: Type.String({ minLength: 1, description: 'Container to write to' }),
    connection_string: Secret({ minLength: 1, description: 'Connection string of the account' }),
    prefix: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Begin of the names of objects; may refer to fields and to the time (%Y, %m, %d)',
      }),
    ),
    encoding,
    compression,
    batch_timeout_secs: batchTimeoutSecs,
    file_consolidation: fileConsolidation,
  },
  { additionalProperties: false },
)

type AzureBlobConfig = Static<typeof AzureBlobOptions>

const objects = objectBatches<Pick<AzureBlobConfig, 'prefix' | 'encoding' | 'batch_timeout_secs'>>(
  ({ prefix }) => prefix,
)

/** Objects in a container of Azure: components, section 7.9. */
export const azureBlobStorage = defineDestination({
  type: 'azure-blob-storage',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Write events to objects in a container of Azure Blob Storage.',
  notes: [
    'Objects are block blobs, with names as those of `s3`: prefix, seconds, and id of the batch. A repeat has the same name, so an ' +
      'object replaces itself. A replay of dead letters makes another object.',
    'The prefix may contain marks for the time of the event, in UTC (`%Y`, `%m`, `%d`). A prefix with a field that an event lacks ' +
      'is left out for that event. With `json` an object is one array.',
    'A pipeline can be published only with a connection string that has `AccountName` and `AccountKey`, or `BlobEndpoint` and ' +
      '`SharedAccessSignature`.',
  ],
  config: AzureBlobOptions,
  check: sent => [...templateProblems('/prefix', sent.prefix), ...consolidationProblems(sent)],
  publishProblems: (config, site) => {
    const { prefix = '', container_name: container, connection_string: text } = config as AzureBlobConfig
    return [
      ...(CONTAINER.test(container)
        ? []
        : [{ instancePath: '/container_name', message: 'must be the name of a container' }]),
      ...connectionStringProblems('/connection_string', text),
      ...datedTemplateProblems('/prefix', prefix),
      ...consolidationPublishProblems(config, site),
    ]
  },
  delivery: 'requests',
  transport: 'http',
  foldOptions: ['prefix', 'encoding', 'batch_timeout_secs'],
  errors: ['E_DELIVERY_FAILED'],
  neverSent: (event, config) => objects.nameFailure(event, config),
  batching: objects.batching,
  encode: (batch: Batch, config: AzureBlobConfig): Iterable<EncodedRequest<HttpRequest>> => {
    const { blobEndpoint, key, query } = azureAccountOf(config.connection_string) as AzureAccount
    const container = `${blobEndpoint}/${percentEncoded(config.container_name)}`
    return objects.requests(batch, config, (name, contentType) => ({
      method: 'PUT',
      url: `${container}/${name.split('/').map(percentEncoded).join('/')}${query === '' ? '' : `?${query}`}`,
      headers: { 'content-type': contentType, 'x-ms-blob-type': 'BlockBlob', 'x-ms-version': API_VERSION },
      ...(key !== undefined && { azureKey: key }),
    }))
  },
  judge: (answer: HttpOutcome, _config, sent) => statusVerdict(answer, sent),
  checkRequest: (config: AzureBlobConfig): HttpRequest => {
    const { blobEndpoint, key, query } = azureAccountOf(config.connection_string) as AzureAccount
    const blob = `${blobEndpoint}/${percentEncoded(config.container_name)}/${CHECKED_NAME}`
    return {
      ...{ method: 'HEAD', url: `${blob}${query === '' ? '' : `?${query}`}`, body: Buffer.alloc(0) },
      headers: { 'x-ms-version': API_VERSION },
      ...(key !== undefined && { azureKey: key }),
    }
  },
  examples: [
    {
      title: 'the events of a batch are the lines of an object',
      config: { container_name: 'logs', connection_string: CONNECTION_STRING, prefix: 'web/%Y/' },
      events: ['door=7 open', { door: 8 }],
      requests: [
        {
          method: 'PUT',
          url:
            'https://example.blob.core.windows.net/logs/web/2031/' +
            '1930810831-7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10.log',
          headers: {
            'content-type': 'text/plain',
            'x-ms-blob-type': 'BlockBlob',
            'x-ms-version': API_VERSION,
          },
          azureKey: { account: 'example', key: 'a2V5' },
          body: 'door=7 open\n{"door":8}\n',
        },
      ],
      answers: [
        { answer: { status: 201 }, verdict: 'delivered' },
        { answer: { status: 503 }, verdict: 'again' },
        { answer: { status: 403 }, verdict: 'rest' },
        { answer: { status: 413 }, verdict: 'halve' },
        { answer: { status: 404 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
    {
      title: 'a shared access signature is part of the address',
      config: {
        container_name: 'logs',
        connection_string:
          'BlobEndpoint=https://blobs.example.com;SharedAccessSignature=sv=2021-12-02&sig=a%3D',
        ...{ encoding: 'json', compression: 'gzip' },
      },
      events: ['door=7 open', { door: 8 }],
      requests: [
        {
          method: 'PUT',
          url:
            'https://blobs.example.com/logs/1930810831-7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10.log.gz' +
            '?sv=2021-12-02&sig=a%3D',
          headers: {
            'content-type': 'application/gzip',
            'x-ms-blob-type': 'BlockBlob',
            'x-ms-version': API_VERSION,
          },
          body: '["door=7 open",{"door":8}]',
          compression: 'gzip',
        },
      ],
    },
  ],
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
