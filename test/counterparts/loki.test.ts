import { afterEach, expect, test } from 'vitest'
import { jsonText, textForm } from '../../engine/json/json-text.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import {
  type CounterpartClient,
  counterpartClient,
  type TestEvent,
} from '../support/counterparts/counterpart-client.ts'
import { describeCounterpart } from '../support/counterparts/describe-counterpart.ts'
import { LOKI_LINE_BYTES, lokiServer } from '../support/counterparts/loki-server.ts'

const FAILED = (reason: string) => `The server answered 400 (${reason})`
const HOUR_MS = 3_600_000
const MESSAGES: readonly JsonValue[] = [
  { a: 1, b: [true, null, { c: 'd' }], '': 'ä€😀"\\\n\u0000\u2028' },
  ...['a text', '', 'two\nlines\r\n', 5, null, 12345678901234567890n, [], {}],
]

describeCounterpart(lokiServer, url => {
  // Loki refuses entries that are a week old.
  const nowMs = Date.now()
  const clients: CounterpartClient[] = []
  afterEach(() => Promise.all(clients.splice(0).map(client => client.close())))

  /** Label `test` of the entries of a test. */
  const unique = (name: string) => `${name}-${nowMs}`

  function client(test: string, options: JsonObject = {}): CounterpartClient {
    const made = counterpartClient('loki', {
      ...{ endpoint: url(), auth: { strategy: 'none' }, encoding: { codec: 'text' } },
      labels: [
        { label_name: 'test', label_value: test },
        { label_name: 'app.name', label_value: '{{ metadata.app }}' },
      ],
      ...options,
    })
    clients.push(made)
    return made
  }

  /** Stored entries of a test in the order of time: the labels that clients gave, ms relative to `nowMs`, and line. */
  async function entries(
    test: string,
  ): Promise<readonly (readonly [app: string | undefined, at: number, line: string])[]> {
    const query = new URLSearchParams({
      ...{ query: `{test="${test}"}`, limit: '5000', direction: 'forward' },
      ...{ start: `${nowMs - HOUR_MS}000000`, end: `${nowMs + HOUR_MS}000000` },
    })
    const reply = await fetch(`${url()}/loki/api/v1/query_range?${query}`)
    if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`)
    const { data } = (await reply.json()) as { data: { result: readonly StoredStream[] } }
    return data.result
      .flatMap(({ stream, values }) =>
        values.map(
          ([time, line]) => [stream.app_name, Number(BigInt(time) / 1_000_000n) - nowMs, line] as const,
        ),
      )
      .toSorted(([, one], [, other]) => one - other)
  }

  const eventAt = (at: number, message: JsonValue, app = 'web'): TestEvent => ({
    ...{ message, metadata: { app }, timeMs: nowMs + at },
  })

  test.each(['text', 'json'])('entries arrive in the streams of their labels (codec %s)', async codec => {
    const name = unique(codec)
    const events = MESSAGES.map((message, row) => eventAt(row, message, `app-${row % 3}`))
    expect(await client(name, { encoding: { codec } }).deliver(events)).toEqual(
      MESSAGES.map(() => 'delivered'),
    )
    expect(await entries(name)).toEqual(
      events.map(({ message }, row) => [
        `app-${row % 3}`,
        row,
        codec === 'text' ? textForm(message) : jsonText(message),
      ]),
    )
  })

  test('a repeat adds nothing, and neither does a late entry that is there already', async () => {
    const name = unique('repeat')
    const loki = client(name)
    const events = [eventAt(-2, 'a'), eventAt(-1, 'b'), eventAt(0, 'c')]
    for (const part of [events, events, events.slice(0, 1)])
      expect(await loki.deliver(part)).toEqual(part.map(() => 'delivered'))
    expect((await entries(name)).map(([, , line]) => line)).toEqual(['a', 'b', 'c'])
  })

  test('an entry that is refused fails alone, and the others are there once', async () => {
    const name = unique('refused')
    const events = [
      eventAt(0, 'first'),
      eventAt(1, 'x'.repeat(LOKI_LINE_BYTES + 1)),
      eventAt(2, 'second'),
      eventAt(-24 * 30 * HOUR_MS, 'last month'),
      eventAt(24 * HOUR_MS, 'tomorrow'),
      eventAt(3, 'third', 'other'),
    ]
    expect((await client(name).exchange(events)).verdicts).toEqual(Array(6).fill('halve'))
    expect(await client(name).deliver(events)).toEqual([
      'delivered',
      FAILED(`max entry size '${LOKI_LINE_BYTES}' bytes exceeded`),
      'delivered',
      FAILED('timestamp too old'),
      FAILED('timestamp too new'),
      'delivered',
    ])
    expect(await client(name).deliver([eventAt(-2 * HOUR_MS, 'late')])).toEqual([
      FAILED('entry too far behind'),
    ])
    expect((await entries(name)).map(([, , line]) => line)).toEqual(['first', 'second', 'third'])
  })

  test('events with more labels than Loki accepts fail', async () => {
    const labels = Array.from({ length: 16 }, (_, index) => ({ label_name: `l${index}`, label_value: 'x' }))
    expect(await client('', { labels }).deliver([eventAt(0, 'a'), eventAt(0, 'b')])).toEqual(
      Array(2).fill(FAILED('16 label names; limit 15')),
    )
  })

  test('a full batch arrives', async () => {
    const name = unique('full')
    const events = Array.from({ length: 1_000 }, (_, row) => eventAt(row, `${row} ${'x'.repeat(800)}`))
    const { outcomes, verdicts } = await client(name).exchange(events)
    expect([outcomes.length, new Set(verdicts)]).toEqual([1, new Set(['delivered'])])
    expect(await entries(name)).toHaveLength(1_000)
  })
})

interface StoredStream {
  readonly stream: Readonly<Record<string, string>>
  readonly values: readonly (readonly [nanoseconds: string, line: string])[]
}
