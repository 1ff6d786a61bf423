import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { runHere } from '../support/command-world.ts'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { runWeir } from '../support/program.ts'
import { RunningWeir } from '../support/running-weir.ts'

const ENDS = ['SIGTERM', 'SIGKILL'] as const
const NUMBERS = /--topic ingest --partition 0 --from (\d+) --to (\d+)/

let weir: RunningWeir | undefined

afterEach(async () => {
  await weir?.dispose()
  weir = undefined
})

async function post(running: RunningWeir, lines: readonly string[]): Promise<number> {
  const { ingestUrl, ingestionKey } = running.credentials
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines: lines.map(line => ({ line })) }),
  })
  await response.arrayBuffer()
  return response.status
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

async function send(running: RunningWeir, name: string, count: number): Promise<void> {
  for (let number = 0; number < count; number += 10) {
    const lines = Array.from({ length: 10 }, (_, index) => `${name} ${number + index}`)
    expect(await post(running, lines)).toBe(200)
  }
}

async function stored(running: RunningWeir, count: number): Promise<number> {
  return eventually(
    () => countedLines(running),
    counted => counted >= count,
  )
}

/** Waits until `weir verify` finds nothing wrong: a store that was filled again is marked just after its rows are found. */
async function expectVerified(running: RunningWeir): Promise<void> {
  const verified = await eventually(
    () => command(running, 'verify'),
    ({ code }) => code === 0,
    10_000,
  )
  expect(verified).toMatchObject({ code: 0, text: expect.stringContaining('OK') })
}

/** Copies the store of a stopped installation aside. @returns puts the copy in its place */
function copyStore(running: RunningWeir): () => void {
  const [store, copy] = [join(running.directory, 'store'), join(running.directory, 'store-copy')]
  cpSync(store, copy, { recursive: true })
  return () => {
    rmSync(store, { recursive: true })
    cpSync(copy, store, { recursive: true })
  }
}

test('an older copy of the store under a whole log: every acknowledged line is found again', async () => {
  const running = await RunningWeir.start({ WEIR_PARTITIONS: '1' })
  weir = running
  await send(running, 'before the copy', 100)
  expect(await stored(running, 100)).toBe(100)
  await running.end('SIGTERM')
  const goBack = copyStore(running)
  for (const end of ENDS) {
    await running.start()
    const before = await countedLines(running)
    await send(running, `after the copy, until ${end}`, 200)
    expect(await stored(running, before + 200)).toBe(before + 200)
    await running.end(end)
  }
  const all = 100 + 200 * ENDS.length
  goBack()
  expect(await command(running, 'verify')).toMatchObject({
    code: 1,
    text: expect.stringContaining('the store is an older copy'),
  })
  await running.start()
  expect(await stored(running, all)).toBe(all)
  const found = await exportedLines(running)
  expect(new Set(found.map(line => line._line)).size).toBe(all)
  expect(new Set(found.map(line => line._id)).size).toBe(all)
  expect((await ready(running)).status).toBe(200)
  await expectVerified(running)
  // The copy is restored once more, behind checkpoints that were written while its rows were stored again.
  await running.end('SIGTERM')
  goBack()
  await running.start()
  expect(await stored(running, all)).toBe(all)
  await running.end('SIGTERM')
  expect(await command(running, 'verify')).toMatchObject({ code: 0 })
})

test('a log that no longer reaches back to the copy of the store is refused, and lines were missing silently', async () => {
  const running = await RunningWeir.start({ WEIR_PARTITIONS: '1', WEIR_LOG_MAX_BYTES: '8MB' })
  weir = running
  await send(running, 'before the copy', 10)
  expect(await stored(running, 10)).toBe(10)
  await running.end('SIGTERM')
  const goBack = copyStore(running)
  await running.start()
  const wide = Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(8_000)}`)
  const firstSegment = () =>
    readdirSync(join(running.directory, 'log/weir.ingest/0'))
      .filter(name => name.endsWith('.segment'))
      .sort()[0]
  const first = firstSegment()
  let count = 10
  while (firstSegment() === first) {
    const status = await post(running, wide)
    expect([200, 503]).toContain(status)
    if (status === 200) count += 100
    else await new Promise(resolve => setTimeout(resolve, 200))
  }
  expect(await stored(running, count)).toBe(count)
  await running.end('SIGTERM')
  goBack()
  await running.start(/\n/)
  const reported = await eventually(
    () => ready(running),
    ({ text }) => NUMBERS.test(text),
  )
  expect(reported.status).toBe(503)
  expect(reported.text).toContain(
    'the store is an older copy: of partition 0 of weir.ingest it has the records before',
  )
  expect(reported.text).toMatch(NUMBERS)
  // New lines are accepted, and wait on the log.
  expect(await post(running, ['taken meanwhile'])).toBe(200)
  expect(await countedLines(running)).toBe(10)

  const [, from = '', to = ''] = NUMBERS.exec(reported.text) ?? []
  const accept = ['log', 'accept-loss', '--topic', 'ingest', '--partition', '0']
  const wrong = await command(running, ...accept, '--from', from, '--to', `${Number(to) + 1}`)
  expect(wrong).toMatchObject({ code: 2, text: expect.stringContaining(`--from ${from} --to ${to}`) })
  expect(await command(running, ...accept, '--from', from, '--to', to)).toMatchObject({ code: 0 })
  const healed = await eventually(
    () => ready(running),
    ({ status }) => status === 200,
  )
  expect(healed.status).toBe(200)
  const last = await eventually(
    () => exportedLines(running, { query: 'meanwhile' }),
    lines => lines.length > 0,
  )
  expect(last).toHaveLength(1)
  expect(await countedLines(running)).toBeLessThan(count)
  await expectVerified(running)
})
