import assert from 'node:assert/strict'
import { parseJson } from '../../../engine/json/json-text.ts'
import type { JsonValue } from '../../../schemas/json.ts'
import { type DestinationCase, expectMembers, expectPost, type ReceivedRequest, utf8Of } from './receiver.ts'

const CONFIG = {
  ...{ token: 'secret', compression: 'gzip', timestamp_field: 'timestamp' },
  ...{
    index: { value_type: 'field', value: 'metadata.host' },
    source: { value_type: 'value', value: 'weir' },
  },
}
const MEMBERS = ['time', 'host', 'source', 'sourcetype', 'index', 'fields', 'event']
const SECONDS = /^\{"time":\d{1,11}(\.\d{1,9})?,/

/** The event format of the HTTP event collector: components, section 6.5, and the reference page of Splunk. */
export const SPLUNK_CASES: readonly DestinationCase[] = [
  {
    title: 'splunk-hec-logs',
    type: 'splunk-hec-logs',
    config: { ...CONFIG, url: 'https://splunk.example.com:8088' },
    messages: [
      { a: 'ä€😀"\\\n' },
      'a text',
      'two\nlines',
      '{"not":"parsed"}',
      5,
      true,
      [],
      {},
      12345678901234567890n,
    ],
    receive: request => eventsOf(request),
    expected: ({ message, metadata, timestampMs }) => ({
      ...{ time: timestampMs / 1_000, host: metadata.host as string, source: 'weir' },
      ...{ index: metadata.host as string, event: message },
    }),
    padded: text => `x${text}`,
    verdicts: { 400: 'halve' },
    at: origin => ({ ...CONFIG, url: `${origin}/` }),
    accepted: () => '{"text":"Success","code":0}',
  },
]

function eventsOf(request: ReceivedRequest): readonly JsonValue[] {
  expectPost(request, '/services/collector/event', 'application/json')
  assert.equal(request.headers.authorization, 'Splunk secret')
  return utf8Of(request.body)
    .split('\n')
    .map(line => {
      // The number keeps its fraction: a double of milliseconds would be rounded by other readers.
      assert.match(line, SECONDS)
      const { event, ...others } = expectMembers(parseJson(line), MEMBERS)
      assert.ok(event !== undefined && event !== null, 'event is required')
      assert.ok(typeof event !== 'string' || event.trim() !== '', 'event cannot be blank')
      for (const name of ['host', 'source', 'sourcetype', 'index'])
        assert.ok(others[name] === undefined || typeof others[name] === 'string')
      return { ...others, event }
    })
}
