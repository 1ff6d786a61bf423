import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runHere } from '../support/command-world.ts'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { runWeir } from '../support/program.ts'
import { RunningWeir } from '../support/running-weir.ts'

const PRELOAD = new URL('../support/switched-off-preload.ts', import.meta.url).pathname
/** Files of the log have four megabytes. */
const SETTINGS = { WEIR_PARTITIONS: '1', WEIR_LOG_MAX_BYTES: '67108864' }
const PARTITION = join('log', 'weir.ingest', '0')
/** Requests with about 100 kB each, so they fill several files. */
const REQUESTS = 180
const LINES_OF_REQUEST = 100
const DAMAGE = / (\S+\.segment) is damaged at byte (\d+): /
const ACT =
  /Stop the service, and put this file from a backup in its place\. Without one, .* cut the file off at that byte/
const NUMBERS = /weir (log accept-loss --topic ingest --partition 0 --from (\d+) --to (\d+))/

let weir: RunningWeir
beforeEach(async () => {
  weir = await RunningWeir.start(SETTINGS)
})
afterEach(() => weir.dispose())

async function post(lines: readonly string[]): Promise<number> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const { status } = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey },
    body: JSON.stringify({ lines }),
  })
  return status
}

async function postMany(): Promise<void> {
  for (let request = 0; request < REQUESTS; request++) {
    const lines = Array.from(
      { length: LINES_OF_REQUEST },
      (_, line) => `${request} ${line} ${'x'.repeat(1_000)}`,
    )
    // While the store is behind, the log may have no room for more.
    const status = await eventually(
      () => post(lines),
      answered => answered === 200,
    )
    expect(status).toBe(200)
  }
}

async function ready(): Promise<{ status: number; text: string }> {
  const response = await fetch(`${weir.credentials.apiUrl}/readyz`)
  return { status: response.status, text: await response.text() }
}

async function command(...args: string[]): Promise<{ code: number | null; text: string }> {
  const run = weir.running ? runHere : runWeir
  const { code, out, err } = await run(args, weir.environment)
  return { code, text: `${out}${err}` }
}

function segments(): string[] {
  const folder = join(weir.directory, PARTITION)
  return readdirSync(folder)
    .filter(name => name.endsWith('.segment'))
    .sort()
    .map(name => join(folder, name))
}

/** Changes a byte in the middle of a file. */
function damage(path: string): void {
  const at = statSync(path).size >> 1
  const byte = (readFileSync(path)[at] as number) ^ 0xff
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.from([byte]), 0, 1, at)
  closeSync(file)
}

/** The place that a sentence names. */
function damagedPlace(text: string): { path: string; byte: number } {
  const [, path = '', byte = ''] = DAMAGE.exec(text) ?? []
  return { path, byte: Number(byte) }
}

test('a damaged record in the middle of the log: a backup of its file takes its place', async () => {
  await postMany()
  const backup = mkdtempSync(join(tmpdir(), 'weir-backup-'))
  try {
    expect(await command('backup', join(backup, 'b'))).toMatchObject({ code: 0 })
    await weir.end('SIGTERM')
    const second = segments()[1] as string
    damage(second)
    await weir.start()
    // Nothing of it has to be stored any more, so only a verification reads it.
    expect((await ready()).status).toBe(200)
    const verified = await command('verify')
    expect(verified).toMatchObject({ code: 2, text: expect.stringMatching(ACT) })
    expect(damagedPlace(verified.text).path).toBe(second)
    await weir.end('SIGTERM')
    copyFileSync(join(backup, 'b', PARTITION, basename(second)), second)
    await weir.start()
    expect(await command('verify')).toMatchObject({ code: 0 })
    expect(await countedLines(weir)).toBe(REQUESTS * LINES_OF_REQUEST)
  } finally {
    rmSync(backup, { recursive: true, force: true })
  }
})

test.each<[string, at: number, finds: () => Promise<string>]>([
  ['the newest file, which refuses the start', -1, startRefused],
  ['an earlier file, which only a verification reads', 1, async () => (await command('verify')).text],
])(
  'without a backup the log continues behind a damaged record, as the message says: in %s',
  async (_file, at, finds) => {
    await postMany()
    // The store then shows that the log has lost its end.
    const stored = await eventually(
      () => countedLines(weir),
      lines => lines === REQUESTS * LINES_OF_REQUEST,
    )
    expect(stored).toBe(REQUESTS * LINES_OF_REQUEST)
    await weir.end('SIGKILL')
    const damaged = segments().at(at) as string
    damage(damaged)
    const text = await finds()
    expect(text).toMatch(ACT)
    const { path, byte } = damagedPlace(text)
    expect(path).toBe(damaged)
    truncateSync(path, byte)
    for (const later of segments().filter(other => other > path)) rmSync(later)
    await weir.start()
    await acceptReported()
    const taken = await eventually(
      () => post(['after']),
      status => status === 200,
    )
    expect(taken).toBe(200)
    const found = await eventually(
      () => exportedLines(weir, { query: 'after' }),
      lines => lines.length > 0,
    )
    expect(found).toHaveLength(1)
    expect(await eventually(ready, ({ status }) => status === 200)).toMatchObject({ status: 200 })
    expect(await command('verify')).toMatchObject({ code: 0 })
  },
)

test('a partition that an error has stopped is named by a verification, although the store agrees', async () => {
  await weir.end('SIGTERM')
  const patch = {
    file: 'engine/worker/flush-queue.ts',
    find: '    for (const batch of flush.tables) {\n',
    replace:
      "    for (const batch of flush.tables) {\n      if (batch.rows > 0) throw new Error('the rows stay outside')\n",
  }
  const program = { NODE_OPTIONS: `--import=${PRELOAD}`, SWITCHED_OFF: JSON.stringify([patch]) }
  weir = RunningWeir.prepare({ ...SETTINGS, ...program }, weir.directory)
  await weir.start()
  expect(await post(['a'])).toBe(200)
  const { text } = await eventually(ready, ({ status }) => status === 503)
  expect(text).toContain('Partition 0 does not move: the rows stay outside')
  const { code, text: verified } = await command('verify')
  expect(code, verified).toBe(1)
  expect(verified).toContain('STOPPED: partition 0 does not move: the rows stay outside.')
})

async function startRefused(): Promise<string> {
  const [code, text] = await weir.start().then(
    () => [0, ''],
    (error: Error) => [1, error.message],
  )
  expect(code).toBe(1)
  return text as string
}

/** Accepts the loss with the numbers of `/readyz`, or with those that the command reports because more is known by then. */
async function acceptReported(): Promise<void> {
  let { text } = await eventually(ready, ({ text }) => NUMBERS.test(text))
  const told = [text]
  for (let attempt = 0; attempt < 3; attempt++) {
    const [, accept = ''] = NUMBERS.exec(text) ?? []
    const done = await command(...accept.split(' '))
    if (done.code === 0) return
    text = done.text
    told.push(text)
  }
  expect.fail(told.join('\n'))
}
