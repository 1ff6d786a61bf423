import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { parseJson, textForm } from '../../../engine/json/json-text.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { serviceAccountKey } from './google-account.ts'
import {
  type DestinationCase,
  endedLines,
  expectHeaders,
  expectPost,
  type ReceivedRequest,
  utf8Of,
} from './receiver.ts'

/** Seconds at which the batch was closed, and its id: components, section 7.6. */
export const NAME_END = /^(\d{10})-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.[1-9]\d*)?\.log(\.gz)?$/
/** Seconds at which a batch of the suite was closed, and one of an outbox whose clock starts anew: five minutes after its event. */
const CLOSED_S = ['1930810532', '1700000300']
/** Every other character of a path is percent-encoded. */
const PATH = /^(?:[A-Za-z0-9\-._~/]|%[0-9A-F]{2})+$/
const GZIP_BYTES = Buffer.from([0x1f, 0x8b])
const TEXT_MESSAGES: readonly JsonValue[] = [
  ...['a text', '', 'ä€😀', '{"not":"parsed"}', 5, null, true, 12345678901234567890n],
  ...[{ a: 1 }, [1, null]],
]

const S3_AUTH = { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'secret key' }
const S3_IN_JSON = {
  ...{ auth: S3_AUTH, region: 'eu-central-1', bucket: 'web-logs', prefix: "//%Y/%m/a b+ä'*/" },
  ...{ encoding: 'json', compression: 'gzip', tags: [{ name: 'a/b', value: 'c+d ä' }] },
}

/** `PutObject` of S3, as its reference page describes it. */
const S3_CASES: readonly DestinationCase[] = [
  {
    title: 's3 in JSON at another address',
    type: 's3',
    config: { ...S3_IN_JSON, endpoint: 'https://objects.example.com/base' },
    receive: request => {
      const key = keyIn(putOf(request, 'application/gzip'), /^(?:\/base)?\/web-logs\//)
      expectName(key, "/2031/03/a b+ä'*/")
      const tags = new URLSearchParams(request.headers['x-amz-tagging'])
      assert.deepEqual([...tags], [['a/b', 'c+d ä']])
      return listIn(unpacked(request))
    },
    expected: ({ message }) => message,
    at: origin => ({ ...S3_IN_JSON, endpoint: origin }),
  },
  {
    title: 's3 in text at Amazon',
    type: 's3',
    config: { auth: S3_AUTH, region: 'eu-central-1', bucket: 'web-logs' },
    messages: TEXT_MESSAGES,
    receive: request => {
      const { origin } = new URL(request.url)
      assert.equal(origin, 'https://web-logs.s3.eu-central-1.amazonaws.com')
      expectName(keyIn(putOf(request, 'text/plain'), /^\//), '')
      return endedLines(unpacked(request)) as string[]
    },
    expected: ({ message }) => textForm(message),
  },
]

const AZURE_KEY = 'c2VjcmV0IGtleQ=='
const azureConfig = (endpoint: string): JsonObject => ({
  ...{ container_name: 'web-logs', prefix: "/%Y/%m/a b+ä'*/", encoding: 'json' },
  connection_string: `AccountName=example;AccountKey=${AZURE_KEY};BlobEndpoint=${endpoint}/example`,
})

/** "Put Blob" of Azure Blob Storage, as its reference page describes it. */
const AZURE_CASE: DestinationCase = {
  title: 'azure-blob-storage',
  type: 'azure-blob-storage',
  config: azureConfig('https://blobs.example.com'),
  receive: request => {
    const { 'x-ms-blob-type': type, 'x-ms-version': version } = request.headers
    expectName(keyIn(putOf(request, 'application/json'), /^\/example\/web-logs\//), "2031/03/a b+ä'*/")
    assert.equal(type, 'BlockBlob')
    assert.match(version ?? '', /^20\d\d-\d\d-\d\d$/)
    return listIn(unpacked(request))
  },
  expected: ({ message }) => message,
  at: azureConfig,
}

/** "Objects: insert" of Cloud Storage with a simple upload, as its reference page describes it. */
const GCP_CASE: DestinationCase = {
  title: 'gcp-cloud-storage',
  type: 'gcp-cloud-storage',
  config: {
    ...{ bucket: 'web-logs', bucket_prefix: "/%Y/%m/a b+ä'*/", compression: 'gzip' },
    credentials_json: serviceAccountKey(),
  },
  messages: TEXT_MESSAGES,
  receive: request => {
    const query = expectPost(request, '/upload/storage/v1/b/web-logs/o', 'application/gzip')
    assert.equal(new URL(request.url).origin, 'https://storage.googleapis.com')
    assert.deepEqual([...query.keys()], ['uploadType', 'name'])
    assert.equal(query.get('uploadType'), 'media')
    expectName(query.get('name') ?? '', "2031/03/a b+ä'*/")
    assert.equal(request.headers.authorization, undefined, 'the sender adds the token')
    return endedLines(unpacked(request)) as string[]
  },
  expected: ({ message }) => textForm(message),
}

/** Destinations that write objects. */
export const OBJECT_CASES: readonly DestinationCase[] = [...S3_CASES, AZURE_CASE, GCP_CASE]

/** Checks a request that writes an object. @returns its path */
export function putOf({ method, url, headers }: ReceivedRequest, contentType: string): string {
  const { pathname, username, password, hash } = new URL(url)
  assert.equal(method, 'PUT')
  assert.deepEqual([username, password, hash], ['', '', ''])
  assert.equal(headers['content-type'], contentType)
  assert.equal(headers['content-encoding'], undefined, 'readers would decompress the object')
  expectHeaders(headers)
  return pathname
}

/** Name of the object, which stands behind a path. */
function keyIn(path: string, before: RegExp): string {
  assert.match(path, PATH)
  assert.match(path, before)
  return decodeURIComponent(path.replace(before, ''))
}

function expectName(name: string, prefix: string): void {
  assert.ok(name.startsWith(prefix), name)
  assert.ok(Buffer.byteLength(name) <= 1_024)
  const [, seconds] = NAME_END.exec(name.slice(prefix.length)) ?? []
  assert.ok(CLOSED_S.includes(String(seconds)), seconds)
}

/** Text of an object. Its compression belongs to it, so no server has removed it. */
export function unpacked({ body }: ReceivedRequest): string {
  return utf8Of(body.subarray(0, 2).equals(GZIP_BYTES) ? gunzipSync(body) : body)
}

function listIn(text: string): readonly JsonValue[] {
  const list = parseJson(text)
  assert.ok(Array.isArray(list))
  return list as readonly (JsonValue | JsonObject)[]
}
