import assert from 'node:assert/strict'
import { parseJson } from '../../../engine/json/json-text.ts'
import { isJsonObject, type JsonValue } from '../../../schemas/json.ts'
import { compactValue } from './http-receiver.ts'
import {
  type DestinationCase,
  endedLines,
  expectMembers,
  expectPost,
  type ReceivedRequest,
  utf8Of,
} from './receiver.ts'

const AUTH = { strategy: 'basic', user: 'weir', password: 'pass:word' }
const CONFIG = { auth: AUTH, index: 'logs-{{ metadata.host }}-%Y.%m.%d', pipeline: 'geoip' }
/** Names of indexes: lower case, without these characters, not `.` or `..`, at most 255 bytes. */
const INDEX = /^(?![-_+])[^A-Z\\/*?"<>| ,#:]{1,255}$/

/** The bulk API of Elasticsearch 8 and OpenSearch 2, as their reference pages describe it. */
export const ELASTICSEARCH_CASES: readonly DestinationCase[] = [
  {
    title: 'elasticsearch',
    type: 'elasticsearch',
    config: { ...CONFIG, endpoints: ['https://search.example.com:9200'], compression: 'gzip' },
    receive: request => documentsOf(request).map(({ id, index, document }) => [id, index, document]),
    expected: ({ message, metadata }, id) => [
      id,
      `logs-${String(metadata.host)}-2031.03.09`,
      isJsonObject(message) ? message : { message },
    ],
    padded: text => ({ text }),
    verdicts: { 400: 'halve' },
    at: origin => ({ ...CONFIG, endpoints: [origin], compression: 'gzip' }),
    accepted: request =>
      JSON.stringify({ errors: true, items: documentsOf(request).map(() => ({ create: { status: 201 } })) }),
  },
]

function documentsOf(request: ReceivedRequest) {
  const query = expectPost(request, '/_bulk', 'application/x-ndjson')
  assert.deepEqual([...query.keys()].toSorted(), ['filter_path', 'pipeline'])
  assert.equal(query.get('pipeline'), 'geoip')
  const credentials = Buffer.from(`${AUTH.user}:${AUTH.password}`).toString('base64')
  assert.equal(request.headers.authorization, `Basic ${credentials}`)
  return bulkItemsOf(request)
}

/** Documents in the body of a request to the bulk API, with their actions. */
export function bulkItemsOf({ body }: Pick<ReceivedRequest, 'body'>) {
  const lines = endedLines(utf8Of(body))
  assert.equal(lines.length % 2, 0, 'each action has a document')
  return Array.from({ length: lines.length / 2 }, (_, item) => {
    const action = expectMembers(parseJson(lines[2 * item] as string), ['create'])
    const { _index: index, _id: id } = expectMembers(action.create, ['_index', '_id'])
    assert.match(String(index), INDEX)
    assert.ok(typeof id === 'string' && id !== '' && Buffer.byteLength(id) <= 512)
    const document: JsonValue = compactValue(lines[2 * item + 1] as string)
    assert.ok(isJsonObject(document), 'a document is an object')
    return { index: String(index), id, document }
  })
}
