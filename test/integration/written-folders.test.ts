import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { HOUR_MS } from '../../engine/times/duration.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { runHere } from '../support/command-world.ts'
import { type ExportedLine, eventually, exportedLines } from '../support/exported-lines.ts'
import { IS_LONG } from '../support/long-form.ts'
import { RunningWeir } from '../support/running-weir.ts'

/** Facts about a folder from its program, before that sent its last lines and was killed. */
interface Expected {
  readonly writtenAtMs: number
  readonly records: readonly ExportedLine[]
  readonly usage: readonly { readonly name: string; readonly current_total: number }[]
  readonly last: readonly string[]
}

const FOLDERS = new URL('../data/folders/', import.meta.url)
const CLOCK_PRELOAD = new URL('../faults/cluster/process-preload.ts', import.meta.url).pathname

let weir: RunningWeir | undefined
let folder: string | undefined

afterEach(async () => {
  await weir?.dispose()
  weir = undefined
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  folder = undefined
})

test('every behaviour number has a folder that its program wrote', () => {
  const behaviours = Array.from({ length: BEHAVIOUR }, (_, index) => `behaviour-${index + 1}.tar.gz`)
  expect(ALL).toEqual(behaviours)
})

const ALL = readdirSync(FOLDERS).toSorted(new Intl.Collator('en', { numeric: true }).compare)
/** The long form continues every folder, the short one the newest. */
const CONTINUED = IS_LONG ? ALL : ALL.slice(-1)

test.each(CONTINUED)('a folder can be opened, searched, verified and continued, %s', async archive => {
  const { search, usage, expected, running } = await searchedFolder(archive)
  const plain = expected.records.filter(({ _line }) => _line.includes('ünïcode'))
  expect((await search('ünïcode app:app-1')).length).toBe(plain.filter(({ _app }) => _app === 'app-1').length)
  expect((await search('big:9007199254740999')).length).toBe(
    expected.records.filter(({ _line }) => /^{.*9007199254740999.*$/.test(_line)).length,
  )
  for (const { name, current_total } of expected.usage)
    expect(await usage()).toContainEqual(expect.objectContaining({ name, current_total }))

  const texts = ['later 1', 'later 2']
  await ingest(running, texts)
  await running.end('SIGKILL')
  await running.start()
  // A pipeline of newer folders also stores both as one line, when its window ends.
  const later = await eventually(
    async () => (await search('app:later')).filter(({ _line }) => texts.includes(_line)),
    records => records.length >= texts.length,
  )
  expect(later.map(({ _line }) => _line)).toEqual(texts)
  await expectVerified(running)
})

/** Beside it, the short form opens the first, whose lines are all in the older form of the table. */
const OPENED = ALL.slice(0, 1)

test.each(OPENED.filter(archive => !CONTINUED.includes(archive)))(
  'a folder can be opened, searched and verified, %s',
  async archive => {
    await expectVerified((await searchedFolder(archive)).running)
  },
)

/** The server verifies itself: no process is started for it. */
async function expectVerified({ environment }: RunningWeir): Promise<void> {
  const { code, out, err } = await runHere(['verify'], environment)
  expect([code, out, err]).toEqual([0, expect.stringContaining('OK'), ''])
}

/** Starts the present program on a folder, and finds all its lines. */
async function searchedFolder(archive: string) {
  const { expected, program: running } = unpacked(archive)
  weir = running
  // It was killed behind lines that it had acknowledged: a start makes up for them.
  await running.start()
  const [fromMs, toMs] = [expected.writtenAtMs - HOUR_MS, expected.writtenAtMs + HOUR_MS]
  const search = (query: string) => exportedLines(running, { from: `${fromMs}`, to: `${toMs}`, query })
  const isLast = ({ _line, _app }: ExportedLine) => _app === 'last' && expected.last.includes(_line)
  const found = await eventually(
    () => search(''),
    records => records.filter(isLast).length >= expected.last.length,
  )
  expect(found.filter(isLast).map(({ _line }) => _line)).toEqual(expected.last)
  const ids = new Set(expected.records.map(({ _id }) => _id))
  expect(found.filter(({ _id }) => ids.has(_id))).toEqual(expected.records)
  const [from, to] = [fromMs, toMs].map(ms => Math.floor(ms / 1000))
  const usage = () => running.get<Expected['usage']>(`/v1/usage/apps?from=${from}&to=${to}`)
  return { search, usage, expected, running }
}

/** Unpacks a folder, with the present program on it, which is not started yet. */
function unpacked(archive: string): { readonly expected: Expected; readonly program: RunningWeir } {
  folder = mkdtempSync(join(tmpdir(), 'weir-written-'))
  execFileSync('tar', ['-xzf', new URL(archive, FOLDERS).pathname, '-C', folder])
  const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Expected
  const settings = movedTo(expected.writtenAtMs + 60_000, folder)
  return { expected, program: RunningWeir.prepare(settings, join(folder, 'data')) }
}

/** Settings of a program whose clock is moved: the data of that time must not be too old now. */
function movedTo(wallMs: number, folder: string): Record<string, string> {
  const clock = join(folder, 'clock')
  writeFileSync(clock, String(wallMs - Date.now()))
  return { FAULT_CLOCK: clock, NODE_OPTIONS: `--import=${CLOCK_PRELOAD}` }
}

async function ingest({ credentials }: RunningWeir, texts: readonly string[]): Promise<void> {
  const answer = await fetch(`${credentials.ingestUrl}/logs/ingest?hostname=web-2`, {
    method: 'POST',
    headers: { apikey: credentials.ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines: texts.map(line => ({ line, app: 'later', level: 'kept' })) }),
  })
  expect(answer.status, await answer.text()).toBe(200)
}
