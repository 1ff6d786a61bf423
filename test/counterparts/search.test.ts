import { afterEach, expect, test } from 'vitest'
import { parseJson } from '../../engine/json/json-text.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import {
  type CounterpartClient,
  counterpartClient,
  type TestEvent,
} from '../support/counterparts/counterpart-client.ts'
import { describeCounterpart } from '../support/counterparts/describe-counterpart.ts'
import { openSearch } from '../support/counterparts/open-search.ts'

const TIMESTAMP = '2031-03-09T08:15:30.250Z'
const FAILED = (type: string) => `The server answered 400 (${type}) for the event`
const MESSAGES: readonly JsonValue[] = [
  { a: 1, b: [true, null, { c: 'd' }], text: 'ä€😀"\\\n\u0000\u2028' },
  { ...{ big: 12345678901234567890n, small: -0.5e-7 }, 10: 'x', 9: 'y' },
  ...['a text', '', 'two\nlines\r\n', '{"not":"parsed"}', 5, -1.5, true, null, 12345678901234567890n, [], {}],
]

describeCounterpart(openSearch, url => {
  /** Another index for each test, also at a server that others use. */
  const unique = (name: string) => `weir-${name}-${Date.now()}`
  const clients: CounterpartClient[] = []
  afterEach(() => Promise.all(clients.splice(0).map(client => client.close())))

  function client(options: JsonObject): CounterpartClient {
    const auth = { strategy: 'basic', user: 'weir', password: 'secret' }
    const made = counterpartClient('elasticsearch', { endpoints: [url()], auth, ...options })
    clients.push(made)
    return made
  }

  async function ask(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
    const reply = await fetch(`${url()}${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return parseJson(text) as JsonObject
  }

  /** Documents of an index by their ids. */
  async function documents(index: string): Promise<Record<string, JsonValue>> {
    await ask('POST', `/${index}/_refresh`)
    const found = await ask('GET', `/${index}/_search?size=1000`)
    const { hits } = found.hits as unknown as { hits: readonly { _id: string; _source: JsonValue }[] }
    return Object.fromEntries(hits.map(({ _id, _source }) => [_id, _source]))
  }

  const eventsOf = (messages: readonly JsonValue[]): TestEvent[] =>
    messages.map(message => ({ message, timeMs: Date.parse(TIMESTAMP) }))

  test.each(['none', 'gzip'])(
    'documents arrive in the index of their day (compression %s)',
    async compression => {
      const index = unique(compression)
      // Values of one field are of several types.
      await ask('PUT', `/${index}-2031.03.09`, { mappings: { dynamic: false } })
      const search = client({ index: `${index}-%Y.%m.%d`, compression })
      expect(new Set(await search.deliver(eventsOf(MESSAGES), 7))).toEqual(new Set(['delivered']))
      expect(await documents(`${index}-2031.03.09`)).toEqual(
        Object.fromEntries(
          MESSAGES.map((message, row) => [String(7 + row), isJsonObject(message) ? message : { message }]),
        ),
      )
    },
  )

  test('a repeat stores nothing again, in an index and in a data stream', async () => {
    const stream = unique('stream')
    await ask('PUT', `/_index_template/${stream}`, { index_patterns: [stream], data_stream: {} })
    const events = eventsOf([1, 2, 3].map(n => ({ '@timestamp': TIMESTAMP, n })))
    for (const index of [unique('index'), stream]) {
      const search = client({ index })
      const [first, second] = [await search.exchange(events), await search.exchange(events)]
      expect([first.verdicts, second.verdicts]).toEqual([
        Array(3).fill('delivered'),
        Array(3).fill('delivered'),
      ])
      expect(JSON.stringify(second.outcomes)).toContain('version_conflict_engine_exception')
      expect(Object.keys(await documents(index))).toEqual(['0', '1', '2'])
    }
  })

  test('a document that does not fit fails alone', async () => {
    const index = unique('typed')
    await ask('PUT', `/${index}`, { mappings: { properties: { n: { type: 'long' } } } })
    const fates = await client({ index }).deliver(eventsOf([{ n: 1 }, { n: 'many' }, { '': 1 }, { n: 4 }]))
    const unfit = FAILED('mapper_parsing_exception')
    expect(fates).toEqual(['delivered', unfit, unfit, 'delivered'])
    expect(await documents(index)).toEqual({ 0: { n: 1 }, 3: { n: 4 } })
  })

  test('a name that cannot be an index fails its event alone', async () => {
    const index = unique('open')
    const messages = [{ index }, { index: 'UPPER' }, { index: 'a b' }, { index: '' }, { index }]
    const fates = await client({ index: '{{ .index }}' }).deliver(eventsOf(messages))
    const bad = FAILED('invalid_index_name_exception')
    expect(fates).toEqual(['delivered', bad, bad, bad, 'delivered'])
    expect(Object.keys(await documents(index))).toEqual(['0', '4'])
  })

  test('documents that are refused for a while are sent again, and only they', async () => {
    const [open, locked] = [unique('open'), unique('locked')]
    const lock = (is: boolean) =>
      ask('PUT', `/${locked}/_settings`, { 'index.blocks.read_only_allow_delete': is })
    await ask('PUT', `/${locked}`)
    await lock(true)
    const search = client({ index: '{{ .index }}' })
    const events = eventsOf([{ index: open }, { index: locked }, { index: open }])
    expect((await search.exchange(events)).verdicts).toEqual(['delivered', 'again', 'delivered'])
    await lock(false)
    expect(await search.deliver(events)).toEqual(Array(3).fill('delivered'))
    expect([Object.keys(await documents(open)), Object.keys(await documents(locked))]).toEqual([
      ['0', '2'],
      ['1'],
    ])
  })

  test('without its ingest pipeline every event fails', async () => {
    const fates = await client({ index: unique('piped'), pipeline: 'absent' }).deliver(
      eventsOf([{ n: 1 }, { n: 2 }]),
    )
    expect(fates).toEqual(Array(2).fill(FAILED('illegal_argument_exception')))
  })

  test('a check is answered, and makes no index', async () => {
    const index = unique('check')
    const indexes = async () => Object.keys(await ask('GET', '/_all'))
    const before = await indexes()
    expect(await client({ index }).check()).toMatchObject({ kind: 'answered', status: 400 })
    expect(await indexes()).toEqual(before)
  })

  test('a full batch is judged to its last event', async () => {
    const index = unique('full')
    await ask('PUT', `/${index}`, { mappings: { dynamic: 'strict', properties: { n: { type: 'long' } } } })
    const messages = Array.from({ length: 20_000 }, (_, n) => (n % 2 === 0 ? { n } : { unknown: n }))
    const { outcomes, verdicts } = await client({ index, compression: 'gzip' }).exchange(eventsOf(messages))
    expect(outcomes).toHaveLength(1)
    expect(verdicts.filter(verdict => verdict === 'delivered')).toHaveLength(10_000)
    expect(verdicts.at(-1)).toMatchObject({ message: FAILED('strict_dynamic_mapping_exception') })
  })
})
