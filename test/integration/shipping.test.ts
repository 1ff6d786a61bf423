import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { RunningWeir } from '../support/running-weir.ts'

const PROGRAM = new URL('../../deploy/bin/weir.mjs', import.meta.url).pathname

let folder: string
let weir: RunningWeir
/** Lines that earlier tests have stored: all tests share one installation. */
let storedBefore = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-lines-'))
  weir = await RunningWeir.start({ WEIR_PORT: String(await freePort()) })
})

afterAll(async () => {
  await weir.dispose()
  rmSync(folder, { recursive: true, force: true })
})

function linesOf(host: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    index % 3 === 0
      ? JSON.stringify({ message: `${host} request ${index}`, status: 200 + (index % 300), grüße: '✓' })
      : `${host} ${index} plain text, with "quotes", \\backslashes\\, tabs\t and ünïcode €`,
  )
}

const KILLS = 3
const SIGNALS = ['SIGKILL', 'SIGTERM'] as const
const HOSTS = ['alpha', 'beta', 'gamma']
const LINES_PER_HOST = 20_000

test('lines are found and counted in order per host, although the program is killed with kill -9 during shipping', async () => {
  const sent = new Map(HOSTS.map(host => [host, linesOf(host, LINES_PER_HOST)]))
  for (const [host, lines] of sent) writeFileSync(join(folder, `${host}.log`), `${lines.join('\n')}\n`)

  const shipping = Promise.all(HOSTS.map(host => weir.ship(join(folder, `${host}.log`), host)))
  for (let kill = 0; kill < KILLS; kill++) {
    await new Promise(resolve => setTimeout(resolve, 250 + 150 * kill))
    await weir.end('SIGKILL')
    await weir.start()
  }
  for (const { code, summary } of await shipping)
    expect({ code, lines: summary.lines }).toEqual({ code: 0, lines: LINES_PER_HOST })

  const total = HOSTS.length * LINES_PER_HOST
  expect(
    await eventually(
      () => countedLines(weir),
      count => count >= total,
    ),
  ).toBe(total)
  for (const [host, lines] of sent) {
    const found = (await exportedLines(weir, { hosts: host })).sort((a, b) =>
      BigInt(a._id) < BigInt(b._id) ? -1 : 1,
    )
    expect(found.map(line => line._line)).toEqual(lines)
  }
  const bytes = [...sent.values()].flat().reduce((sum, line) => sum + Buffer.byteLength(line), 0)
  const day = new Date().toISOString()
  const usage = await weir.get<{ results: { plan_bytes: number } }>(`/v2/usage?from=${day}&to=${day}`)
  expect(usage.results.plan_bytes).toBe(bytes)
  storedBefore += total
})

test('a graceful stop answers and stores everything, and the next start continues', async () => {
  const lines = linesOf('delta', 5_000)
  const path = join(folder, 'delta.log')
  writeFileSync(path, lines.join('\n'))
  expect((await weir.ship(path, 'delta')).code).toBe(0)
  expect(await weir.end('SIGTERM')).toBe(0)
  await weir.start()
  expect((await exportedLines(weir, { hosts: 'delta' })).map(line => line._line)).toHaveLength(lines.length)
  expect((await weir.ship(path, 'epsilon')).code).toBe(0)
  storedBefore += 2 * lines.length
  expect(
    await eventually(
      () => countedLines(weir),
      count => count >= storedBefore,
    ),
  ).toBe(storedBefore)
})

test('a second process on the same data folder is refused with a sentence', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'all'], {
    env: weir.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (printed += chunk))
  expect(await new Promise(resolve => child.once('close', resolve))).not.toBe(0)
  expect(printed).toMatch(/data folder .* is in use by process \d+/)
})

test('idempotency keys survive a restart, so a repeat is answered, and another body or a passed number gets 409', async () => {
  const send = async (key: string, line: string) => {
    const { ingestUrl, ingestionKey } = weir.credentials
    const response = await fetch(`${ingestUrl}/logs/ingest?hostname=h`, {
      method: 'POST',
      headers: { apikey: ingestionKey, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ lines: [{ line }] }),
    })
    return response.status
  }
  expect(await send('stream/1', 'one')).toBe(200)
  expect(await send('stream/100', 'hundred')).toBe(200)
  expect(await send('plain', 'plain')).toBe(200)
  for (const signal of SIGNALS) {
    await eventually(
      () => countedLines(weir),
      count => count === storedBefore + 3,
    )
    await weir.end(signal)
    await weir.start()
    await eventually(
      () => send('stream/1', 'one'),
      status => status === 409,
    )
    expect(await send('stream/1', 'one')).toBe(409)
    expect(await send('stream/100', 'hundred')).toBe(200)
    expect(await send('stream/100', 'other')).toBe(409)
    expect(await send('plain', 'plain')).toBe(200)
    expect(await send('plain', 'other')).toBe(409)
  }
  expect(await countedLines(weir)).toBe(storedBefore + 3)
})
