import { THIRTEENTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import type { HttpOutcome, HttpRequest } from '../../../outbound/http-exchange.ts'
import { percentEncoded } from '../../../outbound/percent-encoded.ts'
import {
  type Batch,
  defineDestination,
  type EncodedRequest,
  type Verdict,
} from '../../contract/define-destination.ts'
import { targetOf } from '../../http/http-headers.ts'
import { statusVerdict } from '../../http/http-verdict.ts'
import { objectBatches } from '../../http/object-batch.ts'
import { type S3Config, S3Options, s3Problems, s3PublishProblems } from './s3-options.ts'

const objects = objectBatches<Pick<S3Config, 'prefix' | 'encoding' | 'batch_timeout_secs'>>(
  ({ prefix }) => prefix,
)

/** Errors that pass by themselves, although their statuses are those of refusals. */
const PASSING_CODES: ReadonlySet<string> = new Set([
  ...['RequestTimeout', 'IncompleteBody', 'BadDigest', 'OperationAborted', 'TemporaryRedirect'],
])
const CODE = /<Code>(\w{1,64})<\/Code>/

/** Objects in a bucket of S3, or of a compatible service: components, section 7.6. */
export const s3 = defineDestination({
  type: 's3',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Write events to objects in a bucket of Amazon S3 or of a compatible service.',
  notes: [
    'The name of an object is the prefix, the seconds at which its batch was closed, and the id of the batch, as in ' +
      '`web/1930810831-7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10.log`. A repeat has the same name, so an object replaces itself. A ' +
      'replay of dead letters makes another object.',
    'The prefix is rendered for each event, and batches are split by it; its marks of time are those of the timestamp of the ' +
      'event, in UTC. A `/` at the beginning is removed. A prefix with a field that an event lacks is left out for that event. ' +
      'A prefix with the folder `.` or `..` is never sent.',
    'With `json` an object is one array. A compressed object has a name that ends in `.gz`.',
    'At another address (`endpoint`) the bucket is the first part of the path. The access key needs the permission ' +
      '`PutObject`, and with tags `PutObjectTagging`.',
  ],
  config: S3Options,
  check: s3Problems,
  publishProblems: s3PublishProblems,
  delivery: 'requests',
  transport: 'http',
  foldOptions: ['prefix', 'encoding', 'batch_timeout_secs'],
  errors: ['E_DELIVERY_FAILED'],
  neverSent: (event, config) => objects.nameFailure(event, config),
  batching: objects.batching,
  encode: (batch: Batch, config: S3Config): Iterable<EncodedRequest<HttpRequest>> => {
    const { auth, region, tags = [] } = config
    const { url, headers } = bucketOf(config)
    const tagging = tags
      .map(({ name, value }) => `${percentEncoded(name)}=${percentEncoded(value)}`)
      .join('&')
    return objects.requests(batch, config, (name, contentType) => ({
      method: 'PUT',
      url: `${url}${name.split('/').map(percentEncoded).join('/')}`,
      headers: {
        'content-type': contentType,
        ...(tagging !== '' && { 'x-amz-tagging': tagging }),
        ...headers,
      },
      signature: {
        accessKeyId: auth.access_key_id,
        secretAccessKey: auth.secret_access_key,
        ...{ region, service: 's3' },
      },
    }))
  },
  judge: (answer: HttpOutcome, _config, sent) => objectVerdict(answer, sent),
  checkRequest: (config: S3Config): HttpRequest => {
    const { auth, region } = config
    return {
      ...{ method: 'HEAD', ...bucketOf(config), body: Buffer.alloc(0) },
      signature: {
        accessKeyId: auth.access_key_id,
        secretAccessKey: auth.secret_access_key,
        ...{ region, service: 's3' },
      },
    }
  },
  examples: [
    {
      title: 'the events of a batch are the lines of an object, whose name begins with their prefix',
      config: {
        auth: { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'secret' },
        ...{ region: 'eu-central-1', bucket: 'logs', prefix: '/{{ .app }}/%Y/%m/%d/' },
        tags: [{ name: 'team', value: 'web & app' }],
      },
      events: [{ app: 'web' }, { app: '..' }, { app: 'web', n: 2 }],
      never: { 1: ['E_DELIVERY_FAILED', null] },
      requests: [
        {
          method: 'PUT',
          url:
            'https://logs.s3.eu-central-1.amazonaws.com/web/2031/03/09/' +
            '1930810831-7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10.log',
          headers: { 'content-type': 'text/plain', 'x-amz-tagging': 'team=web%20%26%20app' },
          signature: {
            ...{ accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' },
            ...{ region: 'eu-central-1', service: 's3' },
          },
          body: '{"app":"web"}\n{"app":"web","n":2}\n',
        },
      ],
      answers: [
        { answer: { status: 200 }, verdict: 'delivered' },
        { answer: { status: 503, body: '<Error><Code>SlowDown</Code></Error>' }, verdict: 'again' },
        { answer: { status: 400, body: '<Error><Code>RequestTimeout</Code></Error>' }, verdict: 'again' },
        { answer: { status: 409, body: '<Error><Code>OperationAborted</Code></Error>' }, verdict: 'again' },
        { answer: { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }, verdict: 'rest' },
        { answer: { status: 413 }, verdict: 'halve' },
        {
          answer: { status: 404, body: '<Error><Code>NoSuchBucket</Code></Error>' },
          verdict: { failed: ['E_DELIVERY_FAILED', null] },
        },
        { answer: { status: 301 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
    {
      title: 'another service has the bucket in the path; a prefix that does not render is left out',
      config: {
        auth: { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'secret' },
        ...{ region: 'us-east-1', bucket: 'logs', endpoint: 'https://objects.example.com/base' },
        ...{ prefix: '{{ .app }}/', encoding: 'json', compression: 'gzip' },
      },
      events: ['door=7 open', { door: 8 }],
      requests: [
        {
          method: 'PUT',
          url: 'https://objects.example.com/base/logs/1930810831-7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10.log.gz',
          headers: { 'content-type': 'application/gzip' },
          signature: {
            ...{ accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' },
            ...{ region: 'us-east-1', service: 's3' },
          },
          body: '["door=7 open",{"door":8}]',
          compression: 'gzip',
        },
      ],
    },
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

/** Address of the bucket, which ends in a slash. */
function bucketOf({ bucket, region, endpoint }: S3Config): ReturnType<typeof targetOf> {
  if (endpoint !== undefined) return targetOf(endpoint, `${percentEncoded(bucket)}/`)
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const host = `s3.${region}.${domain}`
  // The certificate of Amazon is not valid for further names within the name of a bucket.
  const isName = /^[a-z0-9-]+$/.test(bucket)
  return { url: isName ? `https://${bucket}.${host}/` : `https://${host}/${bucket}/`, headers: {} }
}

function objectVerdict(answer: HttpOutcome, sent: EncodedRequest<HttpRequest>): Verdict<'E_DELIVERY_FAILED'> {
  const code = 'body' in answer ? CODE.exec(answer.body)?.[1] : undefined
  return code !== undefined && PASSING_CODES.has(code) ? 'again' : statusVerdict(answer, sent)
}
