import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { runHere } from '../support/command-world.ts'
import { eventually, exportedLines } from '../support/exported-lines.ts'
import { runWeir } from '../support/program.ts'
import { RunningWeir } from '../support/running-weir.ts'

const REQUESTS = 40
const PARTITIONS = [0, 1]

const SETTINGS = { WEIR_PARTITIONS: `${PARTITIONS.length}` }

/** It was killed when it had accepted all lines; each test has a copy of it. */
let killed: RunningWeir
let weir: RunningWeir

beforeAll(async () => {
  killed = await RunningWeir.start(SETTINGS)
  weir = killed
  for (let request = 0; request < REQUESTS; request++) await send(`line-${request}`)
  await killed.end('SIGKILL')
})
afterAll(() => killed.dispose())

beforeEach(() => {
  const directory = mkdtempSync(join(tmpdir(), 'weir-'))
  cpSync(killed.directory, directory, { recursive: true })
  weir = RunningWeir.prepare(SETTINGS, directory)
})
afterEach(() => weir.dispose())

const inFolder = (...names: string[]) => join(weir.directory, ...names)

/** Digests of all files of the log, and of those that know of its end; without the lock of its owner. */
function digestsOfLog(): Map<string, string> {
  const files = readdirSync(inFolder('log'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.includes('/'))
    .map(name => join('log', name))
    .filter(name => statSync(inFolder(name)).isFile())
  const others = ['log-ends.json', 'configuration-end', 'credentials.json', 'secret.key']
  const digest = (name: string) =>
    createHash('sha256')
      .update(readFileSync(inFolder(name)))
      .digest('hex')
  return new Map([...files, ...others].sort().map(name => [name, digest(name)]))
}

function newestSegment(topic: string, partition: number): string {
  const folder = inFolder('log', topic, `${partition}`)
  const names = readdirSync(folder).filter(name => name.endsWith('.segment'))
  return join(folder, names.sort().at(-1) as string)
}

async function send(line: string): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=${line}`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines: [{ line, app: 'a' }] }),
  })
  expect(response.status).toBe(200)
}

/** Starts, and expects the sentence, and the log to be as it was; `weir verify` the same. */
async function isRefused(sentence: string): Promise<void> {
  const before = digestsOfLog()
  const said = weir.output.length
  await expect(weir.start()).rejects.toThrow('before it was ready')
  expect(weir.output.slice(said)).toContain(sentence)
  expect(digestsOfLog()).toEqual(before)
  const verified = await runWeir(['verify'], weir.environment)
  expect(verified.code).not.toBe(0)
  expect(`${verified.out}${verified.err}`).toContain(sentence)
  expect(digestsOfLog()).toEqual(before)
}

async function hasAllLines(): Promise<void> {
  await weir.start()
  const found = await eventually(
    () => exportedLines(weir, { query: 'line' }),
    lines => lines.length >= REQUESTS,
  )
  expect(new Set(found.map(({ _line }) => _line)).size).toBe(REQUESTS)
  expect(found.length).toBe(REQUESTS)
}

function withOtherId(text: string): string {
  return text.replace(/"logId":"(.)/, (_, digit: string) => `"logId":"${digit === 'a' ? 'b' : 'a'}`)
}

test('one wrong digit in topic.json emptied the log at a start and in verify', async () => {
  for (const topic of ['weir.ingest', 'weir.config']) {
    const path = inFolder('log', topic, 'topic.json')
    const whole = readFileSync(path, 'utf8')
    writeFileSync(path, withOtherId(whole))
    await isRefused(`${path} is damaged: its checksum belongs to another content`)
    // The file as a program wrote it before the checksum existed.
    const { checksum: _, ...earlier } = JSON.parse(whole) as Record<string, unknown>
    writeFileSync(path, withOtherId(JSON.stringify(earlier)))
    await isRefused(`contains records of another log than ${path} names`)
    writeFileSync(path, topic === 'weir.config' ? JSON.stringify(earlier) : whole)
  }
  await hasAllLines()
}, 120_000)

test('segment files of two partitions were emptied after they were swapped', async () => {
  for (const topic of ['weir.ingest', 'weir.checkpoints']) {
    const [one, other] = PARTITIONS.map(partition => newestSegment(topic, partition)) as [string, string]
    const swap = () => {
      renameSync(one, `${one}.aside`)
      renameSync(other, one)
      renameSync(`${one}.aside`, other)
    }
    swap()
    await isRefused(
      `${one} is not in its place, which is one of partition 0 of ${topic}: it contains records of partition 1`,
    )
    swap()
  }
  await hasAllLines()
}, 120_000)

test('verify cut the remains of a torn flush, but it must change nothing, and a start continues without them', async () => {
  // A segment without a record can only have zeros.
  writeFileSync(newestSegment('weir.dead-letter', 0), Buffer.alloc(700))
  for (const topic of ['weir.ingest', 'weir.config', 'weir.checkpoints'])
    writeFileSync(newestSegment(topic, 0), Buffer.alloc(700, 'torn'.repeat(3)), { flag: 'a' })
  const before = digestsOfLog()
  const verified = await runWeir(['verify'], weir.environment)
  expect(verified).toMatchObject({ code: 0 })
  expect(digestsOfLog()).toEqual(before)
  await hasAllLines()
  await send('after')
  expect(await runHere(['verify'], weir.environment)).toMatchObject({ code: 0 })
  await weir.end('SIGTERM')
  expect(readFileSync(newestSegment('weir.ingest', 0)).includes('torntorn')).toBe(false)
}, 120_000)
