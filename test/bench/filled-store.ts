import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ClickHouseStore, openClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { ACCOUNT, ingestedBatch } from './ingested-batch.ts'
import { LINE_TABLE, LineBlocks } from './line-blocks.ts'
import { traceIdOf } from './lines/json.ts'
import type { SentLine } from './lines/line-shape.ts'
import { bodyOf, linesFrom, sampleLineAt } from './load/bodies.ts'

const LINES_PER_RECORD = 1_000
/** Size of the engine's batches. */
const ROWS_PER_BLOCK = 150_000
const RARE_WORDS = 64
/** A kind of sample that is changed gets another number, so that a folder of before is not taken for it. */
const FORMAT = 3
const TARGET = { topic: INGEST_TOPIC, partition: 0, table: LINE_TABLE } as const
const EPOCH = { offset: 1n, attempt: 0 }
const LOG_ID = '0b9e0d6e-6f3c-4a57-9d52-30763604df9b'
const LOOK_MS = 500

/** Facts about the lines, in addition to their number. */
interface Contents {
  readonly format: number
  readonly lines: number
  /** Trace ids: each is in exactly one line, and they are evenly spread over all. */
  readonly rareWords: readonly string[]
  /** UTF-8 bytes of all texts. */
  readonly textBytes: number
}

export interface FilledStore extends Contents {
  readonly store: ClickHouseStore
  readonly account: string
  /** Time of the newest line. */
  readonly lastMs: number
  close(): Promise<void>
}

/** The store with that many sample lines; a folder that holds them already is used again. */
export async function openFilledStore(lines: number, directory: string | undefined): Promise<FilledStore> {
  const folder = directory ?? mkdtempSync(join(tmpdir(), 'weir-bench-search-'))
  mkdirSync(folder, { recursive: true })
  const note = join(folder, 'contents.json')
  const kept = readContents(folder, note, lines)
  const store = openClickHouseStore(await openEmbeddedConnection({ path: join(folder, 'store') }))
  await store.open(LOG_ID)
  const contents = kept ?? (await fill(store, lines))
  if (kept === undefined) writeFileSync(note, JSON.stringify(contents))
  await untilNone(store, 'merges')
  return {
    ...contents,
    store,
    account: ACCOUNT,
    lastMs: lineAt(lines - 1).timestamp,
    async close() {
      await store.close()
      if (directory === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** @throws when the folder has other contents: data that may be needed is not removed */
function readContents(folder: string, note: string, lines: number): Contents | undefined {
  if (!existsSync(note)) {
    if (statSync(join(folder, 'store'), { throwIfNoEntry: false }) === undefined) return undefined
    throw new Error(`${folder} was not filled to the end: remove it, or name another --directory`)
  }
  const contents = JSON.parse(readFileSync(note, 'utf8')) as Contents
  if (contents.format === FORMAT && contents.lines === lines) return contents
  throw new Error(`${folder} holds other lines than ${lines}: remove it, or name another --directory`)
}

/** Everything but HTTP, the log and its flushes: the lines are read, made into rows and inserted as in life. */
async function fill(store: ClickHouseStore, lines: number): Promise<Contents> {
  await store.claim({ ...TARGET, epoch: EPOCH })
  const rareWords: string[] = []
  let textBytes = 0
  let inFlight: Promise<void> = Promise.resolve()
  for (let first = 0; first < lines; first += ROWS_PER_BLOCK) {
    const rows = Math.min(ROWS_PER_BLOCK, lines - first)
    for (let row = 0; row < rows; row += LINES_PER_RECORD) {
      const sent = linesFrom(lineAt, first + row, Math.min(LINES_PER_RECORD, rows - row))
      for (const { line } of sent) textBytes += line.length // All of it is ASCII.
      if ((first + row) * RARE_WORDS >= rareWords.length * lines)
        rareWords.push(traceIdOf((sent[0] as SentLine).line))
      appendRecord(first + row, sent)
    }
    const filled = blocks.take()
    await inFlight
    inFlight = store.insert({ ...TARGET, epoch: EPOCH, ...filled, rows })
  }
  await inFlight
  return { format: FORMAT, lines, rareWords, textBytes }
}

const lineAt = sampleLineAt()
const blocks = new LineBlocks()

/** @param first number of its first line */
function appendRecord(first: number, sent: readonly SentLine[]): void {
  const timeMs = (sent.at(-1) as SentLine).timestamp
  blocks.append(BigInt(first), ingestedBatch(bodyOf(sent), timeMs), timeMs)
}

/** Waits until the engine has finished work that would be measured, too. */
async function untilNone(store: ClickHouseStore, work: string): Promise<void> {
  for (let quietLooks = 0; quietLooks < 3; ) {
    const [row] = await store.query<{ running: string }>({
      sql: `SELECT count() AS running FROM system.${work}`,
    })
    quietLooks = row?.running === '0' ? quietLooks + 1 : 0
    await new Promise(resolve => setTimeout(resolve, LOOK_MS))
  }
}
