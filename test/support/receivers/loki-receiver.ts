import assert from 'node:assert/strict'
import { jsonText, parseJson, textForm } from '../../../engine/json/json-text.ts'
import type { JsonValue } from '../../../schemas/json.ts'
import { type DestinationCase, expectMembers, expectPost, type ReceivedRequest, utf8Of } from './receiver.ts'

const AUTH = { strategy: 'bearer', token: 'secret' }
const BY_HOST = [
  { label_name: 'host.name', label_value: '{{ metadata.host }}' },
  { label_name: 'never', label_value: '{{ .never_there }}' },
]
const LABEL = /^[A-Za-z_][A-Za-z0-9_]*$/
const NANOSECONDS = /^\d{19}$/

/** The push API of Loki 3 in JSON, as its reference page describes it. */
export const LOKI_CASES: readonly DestinationCase[] = [
  {
    title: 'loki in one stream',
    type: 'loki',
    config: {
      ...{ endpoint: 'https://loki.example.com', auth: AUTH, encoding: { codec: 'json' } },
      labels: [{ label_name: '{{ .none }}', label_value: 'x' }],
    },
    receive: request =>
      entriesOf(request).map(({ labels, line }) => {
        assert.deepEqual(labels, { agent: 'pipeline' })
        return line
      }),
    expected: ({ message }) => jsonText(message),
    padded: text => text,
    verdicts: { 400: 'halve' },
  },
  {
    title: 'loki in a stream for each host',
    type: 'loki',
    config: {
      ...{ endpoint: 'https://loki.example.com', auth: AUTH, encoding: { codec: 'text' } },
      labels: BY_HOST,
    },
    receive: request => entriesOf(request).map(({ labels, line }) => [labels, line]),
    expected: ({ message, metadata }) => [{ host_name: metadata.host as string }, textForm(message)],
    padded: text => text,
    verdicts: { 400: 'halve' },
    at: origin => ({ endpoint: origin, auth: AUTH, encoding: { codec: 'text' }, labels: BY_HOST }),
  },
]

/** All entries by time, which is the order of the events of a test. */
function entriesOf(request: ReceivedRequest) {
  expectPost(request, '/loki/api/v1/push', 'application/json')
  assert.equal(request.headers['content-encoding'], 'gzip')
  assert.equal(request.headers.authorization, 'Bearer secret')
  const { streams } = expectMembers(parseJson(utf8Of(request.body)), ['streams'])
  const seen = new Set<string>()
  const entries = (streams as JsonValue[]).flatMap(stream => {
    const { stream: labels, values } = expectMembers(stream, ['stream', 'values'])
    const names = Object.entries(labels as object)
    assert.ok(names.length > 0, 'a stream has a label')
    for (const [name, value] of names)
      assert.ok(LABEL.test(name) && typeof value === 'string' && value !== '')
    assert.ok(!seen.has(jsonText(labels as JsonValue)), 'a stream is there once')
    seen.add(jsonText(labels as JsonValue))
    const times = (values as [string, string][]).map(([time]) => time)
    assert.deepEqual(times, times.toSorted(), 'entries are in the order of time')
    return (values as [string, string][]).map(([time, line, ...surplus]) => {
      assert.ok(NANOSECONDS.test(time) && typeof line === 'string' && surplus.length === 0)
      return { time, labels: labels as JsonValue, line }
    })
  })
  return entries.toSorted((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0))
}
