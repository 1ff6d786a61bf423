import Type, { type Static } from 'typebox'
import { THIRTEENTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { HttpOutcome, HttpRequest } from '../../outbound/http-exchange.ts'
import { percentEncoded } from '../../outbound/percent-encoded.ts'
import { type Batch, defineDestination, type EncodedRequest } from '../contract/define-destination.ts'
import { datedTemplateProblems } from '../http/dated-template.ts'
import { statusVerdict } from '../http/http-verdict.ts'
import { CHECKED_NAME, objectBatches } from '../http/object-batch.ts'
import { ackEnabled, batchTimeoutSecs, compression, encoding } from '../options/delivery-options.ts'
import {
  credentialsJson,
  credentialsProblems,
  serviceAccountOf,
  serviceAccountProblems,
} from '../options/gcp-credentials.ts'
import { templateProblems } from '../options/template-option.ts'

const HOST = 'storage.googleapis.com'
/** Names of buckets; a dot separates parts of a domain. */
const BUCKET = /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/

const GcpStorageOptions = Type.Object(
  {
    ack_enabled: ackEnabled,
    bucket: Type.String({ minLength: 1, description: 'Bucket to write to' }),
    credentials_json: credentialsJson,
    bucket_prefix: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Begin of the names of objects; may refer to fields and to the time (%Y, %m, %d)',
      }),
    ),
    encoding,
    compression,
    batch_timeout_secs: batchTimeoutSecs,
  },
  { additionalProperties: false },
)

type GcpStorageConfig = Static<typeof GcpStorageOptions>

const objects = objectBatches<Pick<GcpStorageConfig, 'bucket_prefix' | 'encoding' | 'batch_timeout_secs'>>(
  ({ bucket_prefix: prefix }) => prefix,
)

/** Objects in a bucket of Google Cloud: components, section 7.9. */
export const gcpCloudStorage = defineDestination({
  type: 'gcp-cloud-storage',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Write events to objects in a bucket of Google Cloud Storage.',
  notes: [
    'Names of objects are those of `s3`: prefix, seconds, and id of the batch. A repeat has the same name, so an object replaces ' +
      'itself; for that the account needs the permission `storage.objects.delete` beside `storage.objects.create`. A replay of ' +
      'dead letters makes another object.',
    'The prefix may contain marks for the time of the event, in UTC (`%Y`, `%m`, `%d`). A prefix with a field that an event lacks ' +
      'is left out for that event. With `json` an object is one array.',
    'A pipeline can be published only with the key file of a service account, which contains `client_email` and `private_key`. ' +
      'Addresses in the key file are not used.',
  ],
  config: GcpStorageOptions,
  check: sent => [...templateProblems('/bucket_prefix', sent.bucket_prefix), ...credentialsProblems(sent)],
  publishProblems: config => {
    const { bucket, bucket_prefix: prefix = '' } = config as GcpStorageConfig
    return [
      ...(BUCKET.test(bucket) ? [] : [{ instancePath: '/bucket', message: 'must be the name of a bucket' }]),
      ...datedTemplateProblems('/bucket_prefix', prefix),
      ...serviceAccountProblems(config),
    ]
  },
  delivery: 'requests',
  transport: 'http',
  foldOptions: ['bucket_prefix', 'encoding', 'batch_timeout_secs'],
  errors: ['E_DELIVERY_FAILED'],
  neverSent: (event, config) => objects.nameFailure(event, config),
  batching: objects.batching,
  encode: (batch: Batch, config: GcpStorageConfig): Iterable<EncodedRequest<HttpRequest>> => {
    const serviceAccount = serviceAccountOf(config.credentials_json, HOST)
    const bucket = `https://${HOST}/upload/storage/v1/b/${percentEncoded(config.bucket)}/o`
    return objects.requests(batch, config, (name, contentType) => ({
      method: 'POST',
      url: `${bucket}?uploadType=media&name=${percentEncoded(name)}`,
      headers: { 'content-type': contentType },
      serviceAccount,
    }))
  },
  judge: (answer: HttpOutcome, _config, sent) => statusVerdict(answer, sent),
  checkRequest: ({ bucket, credentials_json: credentials }: GcpStorageConfig): HttpRequest => ({
    ...{ method: 'GET', headers: {}, body: Buffer.alloc(0) },
    url: `https://${HOST}/storage/v1/b/${percentEncoded(bucket)}/o/${CHECKED_NAME}`,
    serviceAccount: serviceAccountOf(credentials, HOST),
  }),
  examples: [
    {
      title: 'the events of a batch are the lines of an object',
      config: {
        ...{ bucket: 'logs', bucket_prefix: 'web/%Y/' },
        credentials_json: '{"client_email":"weir@example.com","private_key":"key"}',
      },
      events: ['door=7 open', { door: 8 }],
      requests: [
        {
          method: 'POST',
          url:
            'https://storage.googleapis.com/upload/storage/v1/b/logs/o?uploadType=media' +
            '&name=web%2F2031%2F1930810831-7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10.log',
          headers: { 'content-type': 'text/plain' },
          serviceAccount: {
            email: 'weir@example.com',
            privateKey: 'key',
            audience: 'https://storage.googleapis.com/',
          },
          body: 'door=7 open\n{"door":8}\n',
        },
      ],
      answers: [
        { answer: { status: 200 }, verdict: 'delivered' },
        { answer: { status: 429 }, verdict: 'again' },
        { answer: { status: 503 }, verdict: 'again' },
        { answer: { status: 403 }, verdict: 'rest' },
        { answer: { status: 413 }, verdict: 'halve' },
        { answer: { status: 404 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
  ],
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
