import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { runHere } from '../support/command-world.ts'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { runWeir } from '../support/program.ts'
import { RunningWeir } from '../support/running-weir.ts'

const NEW_LINES = 100
const SENT_AT_ONCE = 100
const NUMBERS = /--topic ingest --partition 0 --from (\d+) --to (\d+)/

let weir: RunningWeir | undefined

afterEach(async () => {
  await weir?.dispose()
  weir = undefined
})

async function post(running: RunningWeir, lines: readonly string[], host = 'web-1'): Promise<Response> {
  const { ingestUrl, ingestionKey } = running.credentials
  return fetch(`${ingestUrl}/logs/ingest?hostname=${host}`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines: lines.map(line => ({ line })) }),
  })
}

async function ready(running: RunningWeir): Promise<{ status: number; text: string }> {
  const response = await fetch(`${running.credentials.apiUrl}/readyz`)
  return { status: response.status, text: await response.text() }
}

/** Runs a command: by the running server, or by a separate process that opens log and store. */
async function command(
  running: RunningWeir,
  ...args: string[]
): Promise<{ code: number | null; text: string }> {
  const run = running.running ? runHere : runWeir
  const { code, out, err } = await run(args, running.environment)
  return { code, text: `${out}${err}` }
}

/** Cuts bytes off the end of the newest file of a partition. */
function cutTail(running: RunningWeir, bytes: number, partition = 'weir.ingest/0'): void {
  const { path, size } = newestSegment(running, partition)
  truncateSync(path, size - Math.round(bytes))
}

function newestSegment(running: RunningWeir, partition = 'weir.ingest/0'): { path: string; size: number } {
  const folder = join(running.directory, 'log', partition)
  const newest = readdirSync(folder)
    .filter(name => name.endsWith('.segment'))
    .sort()
    .at(-1)
  const path = join(folder, newest as string)
  return { path, size: statSync(path).size }
}

const ONE_PARTITION = { WEIR_PARTITIONS: '1' }

let ofOnePartition: RunningWeir | undefined

afterAll(() => ofOnePartition?.dispose())

/** A copy of an installation of one partition that was filled once. */
async function filledCopy(): Promise<RunningWeir> {
  ofOnePartition ??= await filled(ONE_PARTITION)
  const directory = mkdtempSync(join(tmpdir(), 'weir-'))
  cpSync(ofOnePartition.directory, directory, { recursive: true })
  weir = RunningWeir.prepare(ONE_PARTITION, directory)
  return weir
}

/** An installation that has stored lines by many requests, stopped. */
async function filled(settings: Readonly<Record<string, string>>, requests = 100): Promise<RunningWeir> {
  const running = await RunningWeir.start(settings)
  for (let request = 0; request < requests; request++)
    expect((await post(running, [`before ${request} ${'x'.repeat(100)}`, 'b', 'c'])).status).toBe(200)
  const stored = await eventually(
    () => countedLines(running),
    count => count === 3 * requests,
  )
  expect(stored).toBe(3 * requests)
  await running.end('SIGTERM')
  return running
}

function numbersIn(text: string): string[] {
  const [, from = '', to = ''] = NUMBERS.exec(text) ?? []
  return ['log', 'accept-loss', '--topic', 'ingest', '--partition', '0', '--from', from, '--to', to]
}

test('after the end of the log was lost, lines were acknowledged that never appeared', async () => {
  const running = await filledCopy()
  cutTail(running, 10_000)
  await running.start()
  const refused = await post(running, ['refused'])
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await refused.text()).toMatch(NUMBERS)
  const reported = await ready(running)
  expect(reported).toMatchObject({ status: 503, text: expect.stringMatching(NUMBERS) })
  expect(reported.text).toContain('Partition 0 of weir.ingest ends before record')
  const before = await command(running, 'verify')
  expect(before).toMatchObject({
    code: 1,
    text: expect.stringContaining('the log has lost records at its end'),
  })
  // Nothing else shows that revoked tokens may work again.
  for (const text of [running.output, before.text])
    expect(text.match(/the configuration may be of that older moment, too: check tokens/g)).toHaveLength(1)

  const accept = numbersIn(reported.text)
  const [from, to] = [Number(accept[7]), Number(accept[9])]
  // Fewer records than there will be new ones: those at the former offsets, and those beyond them, must appear.
  expect(to - from).toBeGreaterThan(20)
  expect(to - from).toBeLessThan(NEW_LINES / 2)
  for (const [wrongFrom, wrongTo] of [
    [from - 1, to],
    [from, to - 1],
    [from, to + 1],
  ]) {
    const wrong = await command(running, ...accept.slice(0, 7), `${wrongFrom}`, '--to', `${wrongTo}`)
    expect(wrong).toMatchObject({ code: 2, text: expect.stringContaining(`--from ${from} --to ${to}`) })
  }
  expect((await post(running, ['refused'])).status).toBe(503)
  const other = await command(running, ...accept.slice(0, 3), 'keyed', ...accept.slice(4))
  expect(other).toMatchObject({ code: 2, text: expect.stringContaining('Nothing is missing') })

  expect(await command(running, ...accept)).toMatchObject({ code: 0 })
  for (let line = 0; line < NEW_LINES; line++)
    expect((await post(running, [`after ${line}`])).status).toBe(200)
  const found = await eventually(
    () => exportedLines(running, { query: 'after' }),
    lines => lines.length >= NEW_LINES,
  )
  expect(new Set(found.map(line => line._line)).size).toBe(NEW_LINES)
  expect(new Set(found.map(line => line._id)).size).toBe(NEW_LINES)
  expect(await countedLines(running)).toBe(300 + NEW_LINES)
  expect((await ready(running)).status).toBe(200)
  expect(await command(running, 'verify')).toMatchObject({ code: 0 })
  expect(await command(running, ...accept)).toMatchObject({ code: 2 })

  await running.end('SIGKILL')
  await running.start()
  expect((await post(running, ['after a restart'])).status).toBe(200)
  const all = await eventually(
    () => countedLines(running),
    count => count > 300 + NEW_LINES,
  )
  expect(all).toBe(301 + NEW_LINES)
  expect(await command(running, 'verify')).toMatchObject({ code: 0, text: expect.stringContaining('OK') })
}, 120_000)

test('a stopped installation says what its log has lost, and goes on once that is accepted', async () => {
  const running = await filledCopy()
  cutTail(running, 20_000)
  const reported = await command(running, 'verify', '--json')
  expect(reported.code).toBe(1)
  const { mismatch } = JSON.parse(reported.text) as { mismatch: Record<string, number> }
  expect(mismatch).toMatchObject({ kind: 'lost-tail', partition: 0 })
  expect((mismatch.lastOffset as number) - (mismatch.firstOffset as number)).toBeGreaterThan(50)
  const numbers = ['--from', `${mismatch.firstOffset}`, '--to', `${mismatch.lastOffset}`]
  const accepted = await command(
    running,
    'log',
    'accept-loss',
    '--topic',
    'ingest',
    '--partition',
    '0',
    ...numbers,
  )
  expect(accepted).toMatchObject({ code: 0, text: expect.stringContaining('is accepted') })
  await running.start()
  const answers = await Promise.all(
    Array.from({ length: SENT_AT_ONCE }, async (_, line) => (await post(running, [`after ${line}`])).status),
  )
  expect(answers.filter(status => status === 200)).toHaveLength(SENT_AT_ONCE)
  const found = await eventually(
    () => exportedLines(running, { query: 'after' }),
    lines => lines.length >= SENT_AT_ONCE,
  )
  expect(new Set(found.map(line => line._line)).size).toBe(SENT_AT_ONCE)
  expect(await countedLines(running)).toBe(300 + SENT_AT_ONCE)
  expect(await command(running, 'verify')).toMatchObject({ code: 0 })
}, 120_000)

test('where several partitions have lost their ends, "weir verify" reported the first one alone', async () => {
  const running = await filled({ WEIR_PARTITIONS: '2' }, 20)
  weir = running
  for (const partition of ['weir.ingest/0', 'weir.ingest/1']) cutTail(running, 10, partition)
  const reported = await command(running, 'verify')
  expect(reported.code).toBe(1)
  const accept = [...reported.text.matchAll(/weir (log accept-loss --topic ingest --partition \d .*)/g)]
  expect(accept.map(([, args]) => args?.split(' ')[5])).toEqual(['0', '1'])
  expect(
    reported.text.match(/^MISMATCH: the log has lost records at its end \(partition \d,/gm),
  ).toHaveLength(2)
  const { mismatch, lostTails } = JSON.parse((await command(running, 'verify', '--json')).text)
  expect(lostTails).toMatchObject([{ partition: 0 }, { partition: 1 }])
  expect(lostTails[0]).toEqual(mismatch)
  for (const [, args = ''] of accept)
    expect(await command(running, ...args.split(' '))).toMatchObject({ code: 0 })
  expect(await command(running, 'verify')).toMatchObject({ code: 0 })
}, 60_000)

test('after a kill and a lost end that no checkpoint and no row knows of, the folder still knows of it', async () => {
  const running = await RunningWeir.start({ WEIR_PARTITIONS: '1' })
  weir = running
  const ends = join(running.directory, 'log-ends.json')
  await post(running, ['a'])
  // The file is a little behind the log, and may be read while it is written.
  const knownEnd = async () => {
    if (!existsSync(ends)) return 0
    const [, end = '0'] = /"weir\.ingest":\{[^}]*"next":\[(\d+)/.exec(readFileSync(ends, 'utf8')) ?? []
    return Number(end)
  }
  const before = await eventually(knownEnd, known => known > 0)
  expect(before).toBeGreaterThan(0)
  for (let line = 0; line < 20; line++) expect((await post(running, [`${line}`])).status).toBe(200)
  const end = await eventually(knownEnd, known => known >= before + 20)
  expect(end).toBeGreaterThanOrEqual(before + 20)
  await running.end('SIGKILL')
  // The engine's own records may be among them, so the newest lines may be unknown to the file: the cut reaches further.
  cutTail(running, newestSegment(running).size / 2)
  await running.start()
  expect(await ready(running)).toMatchObject({ status: 503, text: expect.stringMatching(NUMBERS) })
}, 60_000)

/** An installation with an account whose lines are on both partitions, and limited by a key. */
async function spreadInstallation(): Promise<RunningWeir> {
  const running = await RunningWeir.start({ WEIR_PORT: String(await freePort()), WEIR_PARTITIONS: '2' })
  weir = running
  const create = async (path: string, body: unknown) =>
    (await running.send<{ data: { id: string } }>('POST', path, body)).data.id
  const pipeline = await create('/v3/pipeline', { title: 'limited' })
  const at = (kind: string) => `/v3/pipeline/${pipeline}/${kind}`
  const source = await create(at('source'), { type: 'log-analysis-ingestion' })
  const limit = await create(at('transform'), {
    type: 'throttle',
    inputs: [source],
    user_config: { threshold: 100_000, window_ms: 1_000, key_field: '.line' },
  })
  await create(at('sink'), { type: 'log-analysis', inputs: [limit] })
  await running.send('POST', at('publish'), {})
  await running.send('PUT', '/v3/account/spread', { enabled: true })
  const spread = await eventually(
    () => running.get<{ data: { phase: string } }>('/v3/account/spread'),
    ({ data }) => data.phase === 'on',
  )
  expect(spread.data.phase).toBe('on')
  return running
}

/** A hundred requests of several hosts. */
async function sendOfHosts(running: RunningWeir, name: string): Promise<void> {
  for (let line = 0; line < 100; line++)
    expect((await post(running, [`${name} ${line}`], `host-${line % 7}`)).status).toBe(200)
}

test('events of a spread account wait for their keyed partition that lost its end, and none is swallowed', async () => {
  const running = await spreadInstallation()
  const send = (name: string) => sendOfHosts(running, name)
  const stored = (count: number) =>
    eventually(
      () => exportedLines(running),
      lines => lines.length >= count,
    )
  await send('before')
  expect(await stored(100)).toHaveLength(100)
  await running.end('SIGTERM')
  cutTail(running, 4_000, 'weir.keyed/1')
  await running.start()
  const reported = await ready(running)
  const [, from = '', to = ''] =
    /--topic keyed --partition 1 --from (\d+) --to (\d+)/.exec(reported.text) ?? []
  expect([reported.status, from]).toEqual([503, expect.stringMatching(/\d/)])
  await send('meanwhile')
  const accept = ['log', 'accept-loss', '--topic', 'keyed', '--partition', '1', '--from', from, '--to', to]
  expect(await command(running, ...accept)).toMatchObject({ code: 0 })
  await send('after')
  const lines = await stored(300)
  expect(new Set(lines.map(line => line._line)).size).toBe(300)
  expect(lines).toHaveLength(300)
  const well = await eventually(
    () => ready(running),
    ({ status }) => status === 200,
  )
  expect(well.status).toBe(200)
  expect(await command(running, 'verify')).toMatchObject({ code: 0 })
}, 120_000)

test('after a kill, lines of a spread account were given offsets that the keyed partitions knew, and never appeared', async () => {
  const running = await spreadInstallation()
  await sendOfHosts(running, 'before')
  const stored = (count: number) =>
    eventually(
      () => exportedLines(running),
      lines => lines.length >= count,
    )
  expect(await stored(100)).toHaveLength(100)
  await running.end('SIGKILL')
  // If the folder lacks that file, only the traces of the lines elsewhere show the end of the log.
  rmSync(join(running.directory, 'log-ends.json'))
  for (const partition of ['weir.ingest/0', 'weir.ingest/1']) cutTail(running, 2_000, partition)
  await running.start()
  const reported = await ready(running)
  const losses = [
    ...reported.text.matchAll(/accept-loss --topic ingest --partition (\d) --from (\d+) --to (\d+)/g),
  ]
  expect([reported.status, losses.map(([, partition]) => partition).sort()]).toEqual([503, ['0', '1']])
  expect((await post(running, ['refused'])).status).toBe(503)
  for (const [, partition = '', from = '', to = ''] of losses) {
    const accept = ['log', 'accept-loss', '--topic', 'ingest', '--partition', partition, '--from', from]
    expect(await command(running, ...accept, '--to', to)).toMatchObject({ code: 0 })
  }
  await sendOfHosts(running, 'after')
  const lines = await stored(200)
  expect(new Set(lines.map(line => line._line)).size).toBe(200)
  expect(lines).toHaveLength(200)
  expect(await command(running, 'verify')).toMatchObject({ code: 0 })
}, 120_000)
