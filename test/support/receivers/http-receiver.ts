import assert from 'node:assert/strict'
import { jsonText, parseJson, textForm } from '../../../engine/json/json-text.ts'
import type { JsonValue } from '../../../schemas/json.ts'
import {
  type DestinationCase,
  endedLines,
  expectBatchId,
  expectPost,
  type ReceivedRequest,
  utf8Of,
} from './receiver.ts'

const URI = 'https://events.example.com/in'
const PREFIX = '{"v":"é","rows":'
const SUFFIX = ',"n":[1]}'

/** Components, section 7.4: body and content type of each encoding. */
export const HTTP_CASES: readonly DestinationCase[] = [
  {
    ...{ title: 'http in JSON', type: 'http', config: { uri: URI, encoding: 'json', compression: 'gzip' } },
    receive: request => listed(opened(request, 'application/json')),
    expected: ({ message }) => message,
    at: origin => ({ uri: `${origin}/in`, encoding: 'json', compression: 'gzip' }),
  },
  {
    ...{ title: 'http in JSON within a document', type: 'http' },
    config: {
      ...{ uri: URI, encoding: 'json' },
      advanced_options: { max_bytes: 2_000, payload_prefix: PREFIX, payload_suffix: SUFFIX },
    },
    receive: request => {
      const text = opened(request, 'application/json')
      assert.ok(text.startsWith(PREFIX) && text.endsWith(SUFFIX))
      assert.ok(request.body.length <= 2_000, 'max_bytes')
      return listed(text.slice(PREFIX.length, -SUFFIX.length))
    },
    expected: ({ message }) => message,
  },
  {
    ...{ title: 'http in lines of JSON', type: 'http', config: { uri: URI, encoding: 'ndjson' } },
    receive: request => endedLines(opened(request, 'application/x-ndjson')).map(compactValue),
    expected: ({ message }) => message,
    at: origin => ({ uri: `${origin}/in`, encoding: 'ndjson' }),
  },
  {
    ...{ title: 'http in lines of text', type: 'http', config: { uri: URI, compression: 'gzip' } },
    messages: ['a text', '', 'ä€😀', { a: 1 }, [1, null], 5, null, true, 12345678901234567890n],
    receive: request => endedLines(opened(request, 'text/plain')) as string[],
    expected: ({ message }) => textForm(message),
    at: origin => ({ uri: `${origin}/in`, compression: 'gzip' }),
  },
]

function opened(request: ReceivedRequest, contentType: string): string {
  expectPost(request, '/in', contentType)
  expectBatchId(request.headers['idempotency-key'])
  return utf8Of(request.body)
}

function listed(text: string): readonly JsonValue[] {
  const list = compactValue(text)
  assert.ok(Array.isArray(list))
  return list
}

/** A JSON text without blanks. */
export function compactValue(text: string): JsonValue {
  const value = parseJson(text)
  assert.equal(jsonText(value), text)
  return value
}
