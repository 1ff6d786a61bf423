import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { eventually } from '../support/exported-lines.ts'
import { type OpenedTail, openTail } from '../support/opened-tail.ts'
import { RunningWeir } from '../support/running-weir.ts'

let weir: RunningWeir

beforeAll(async () => {
  weir = await RunningWeir.start()
})

afterAll(() => weir.dispose())

async function post(
  lines: readonly object[],
  headers: Record<string, string> = {},
  hostname = 'web-1',
): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const response = await fetch(
    `${ingestUrl}/logs/ingest?hostname=${hostname}&tags=prod,eu&ip=10.0.0.1&mac=c0:ff:ee:c0:ff:ee&now=1`,
    {
      method: 'POST',
      headers: { apikey: ingestionKey, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ lines }),
    },
  )
  expect(response.status).toBe(200)
}

async function exported(query: Record<string, string>): Promise<string[]> {
  const { apiUrl, accessToken } = weir.credentials
  const parameters = new URLSearchParams({ from: '1', to: String(Date.now() + 60_000), ...query })
  const response = await fetch(`${apiUrl}/v1/export?${parameters}`, {
    headers: { authorization: `Token ${accessToken}` },
  })
  return (await response.text()).split('\n').slice(0, -1)
}

/** The texts of records, as in the messages. */
function texts({ messages }: OpenedTail): string[] {
  return messages.flatMap(message =>
    message.slice('{"e":"p","p":['.length, -']}'.length).split(/,(?=\{"_id":)/),
  )
}

const lineOf = ({ _line }: JsonObject) => _line

const EVERY_KIND = [
  { line: 'plain', app: 'kinds' },
  { line: '', app: 'kinds' },
  { line: 'ERROR grüße 👋 \u0007 "quoted" \\ back', app: 'kinds', level: 'notice' },
  {
    line: 'took {"ms":3,"level":"warn","status":200,"_host":"x","big":12345678901234567890}',
    file: '/var/log/kinds',
    app: 'kinds',
  },
  { line: '{"message":"m","tag":"t","_tag":5,"_file":"f","nested":{"a":{"b":{"c":1}}}}', app: 'kinds' },
  { line: 'meta', app: 'kinds', meta: { a: [1, { b: null }] }, env: 'production', label: { 'a.b': 'c' } },
  { line: 'meta as text', app: 'kinds', meta: '{"a": 1}', annotation: { x: 'y' }, tags: ['own'] },
  { line: 'unknown members', app: 'kinds', pid: 7, something: { odd: true } },
  { line: 'old', app: 'kinds', timestamp: '2001-01-01T00:00:00Z' },
  { line: 'x'.repeat(20_000), app: 'kinds', host: 'other' },
]

test('a line is shown as it is exported later, byte for byte, under the same id', async () => {
  const tail = await openTail(weir, { apps: 'kinds' })
  await post(EVERY_KIND)
  await post(EVERY_KIND, {}, 'web-2')
  await tail.until(2 * EVERY_KIND.length)
  const stored = await eventually(
    () => exported({ apps: 'kinds' }),
    lines => lines.length >= 2 * EVERY_KIND.length,
  )
  expect(texts(tail).toSorted()).toEqual(stored.toSorted())
  tail.close()
  expect(await tail.ended()).toBe(1005)
})

test('lists and query apply together, and earlier lines are not shown', async () => {
  await post([{ line: 'before', app: 'lists' }])
  const tail = await openTail(weir, {
    q: 'timeout -slow',
    apps: 'lists,other',
    levels: 'error',
    tags: 'eu,x',
    hosts: 'web-1',
  })
  await post([
    { line: 'a timeout', app: 'lists', level: 'Error' },
    { line: 'a slow timeout', app: 'lists', level: 'Error' },
    { line: 'a timeout', app: 'lists', level: 'info' },
    { line: 'a timeout', app: 'list', level: 'Error' },
    { line: 'nothing', app: 'lists', level: 'Error' },
    { line: 'a timeout', app: 'lists', level: 'Error', host: 'web-11' },
    { line: '{"ms":1} timeout {"level":"error"}', app: 'other', level: 'info' },
  ])
  expect((await tail.until(2)).map(lineOf)).toEqual(['a timeout', '{"ms":1} timeout {"level":"error"}'])
  tail.close()
})

test('a request that is repeated with its key is shown once', async () => {
  const tail = await openTail(weir, { apps: 'repeated' })
  for (let sent = 0; sent < 3; sent++)
    await post([{ line: 'once', app: 'repeated' }], { 'idempotency-key': 'some-stream/1' })
  await post([{ line: 'last', app: 'repeated' }])
  expect((await tail.until(2)).map(lineOf)).toEqual(['once', 'last'])
  tail.close()
})

test('a stop of the program closes a tail with 1001 and a kill breaks it; later lines are shown under their ids', async () => {
  const stopped = await openTail(weir)
  expect(await weir.end('SIGTERM')).toBe(0)
  expect(await stopped.ended()).toBe(1001)
  await weir.start()
  const killed = await openTail(weir, { apps: 'restarted' })
  await post([{ line: 'before', app: 'restarted' }])
  await killed.until(1)
  await weir.end('SIGKILL')
  expect(await killed.ended()).toBe(1006)
  await weir.start()
  const again = await openTail(weir, { apps: 'restarted' })
  await post([{ line: 'after', app: 'restarted' }])
  await again.until(1)
  const stored = await eventually(
    () => exported({ apps: 'restarted' }),
    lines => lines.length >= 2,
  )
  expect([...texts(killed), ...texts(again)]).toEqual(stored)
  again.close()
})

test('the lines that a stalled client lost are counted exactly', async () => {
  const { credentials } = weir
  const url = new URL(`${credentials.apiUrl}/ws/tail?apps=slow`)
  const { createConnection } = await import('node:net')
  const socket = createConnection(Number(url.port), url.hostname)
  socket.write(
    `GET ${url.pathname}${url.search} HTTP/1.1\r\nhost: h\r\nauthorization: Token ${credentials.accessToken}\r\n` +
      'connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  const pieces: Buffer[] = []
  socket.on('data', piece => pieces.push(piece))
  const text = () => Buffer.concat(pieces).toString('latin1')
  await eventually(async () => text().includes('101 Switching'), Boolean)
  socket.pause()
  const sent = 120
  const perRequest = 100
  for (let request = 0; request < sent; request++)
    await post(Array.from({ length: perRequest }, () => ({ line: 'x'.repeat(2_000), app: 'slow' })))
  socket.resume()
  const figures = () => {
    const received = text().split('"_id"').length - 1
    const dropped = [...text().matchAll(/"dropped":(\d+)/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    )
    return { received, dropped, all: received + dropped }
  }
  const seen = await eventually(
    async () => figures(),
    ({ all }) => all >= sent * perRequest,
  )
  expect(seen.all).toBe(sent * perRequest)
  expect(seen.dropped).toBeGreaterThan(0)
  const metrics = await (await fetch(`${credentials.apiUrl}/metrics`)).text()
  expect(metrics).toContain('weir_tails_open 1')
  expect(metrics).toContain(`weir_tail_lines_dropped_total ${seen.dropped}`)
  socket.destroy()
})
