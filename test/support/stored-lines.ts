import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Event } from '../../engine/event/event.ts'
import { TextRun } from '../../engine/fold/text-run.ts'
import { fillAll } from '../../engine/lines/line-codec.ts'
import { newLineBlock } from '../../engine/lines/native-block/line-block.ts'
import { FieldNames } from '../../engine/lines/stored-line/line-fields.ts'
import { newStoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import { wasmCodec } from '../../engine/lines/wasm/wasm-codec.ts'
import { wordFilters } from '../../engine/lines/word-filter/word-filters.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { finish } from '../../engine/steps.ts'
import { type ClickHouseStore, openClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import type { StoreConnection } from '../../engine/store/connection.ts'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { IngestRequest } from '../../schemas/log/line-batch.ts'
import { LINE_TABLES, type LineTable } from '../../schemas/log/tables.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { ACCOUNT, RECEIVED_MS, type SentLine, sentBatch } from './sent-lines.ts'

export interface StoringOptions {
  readonly request?: Partial<IngestRequest>
  readonly account?: string
  /** Log time, UNIX ms. */
  readonly timeMs?: number
  readonly retentionDays?: number
  readonly poolDays?: number
  readonly partition?: number
  /** Absent: those of an account without lines. */
  readonly fieldNames?: FieldNames
  /** Absent: the lines get filters. */
  readonly isFiltered?: false
}

/** Few, so that filters exclude lines in a small store. */
const SEGMENT_LINES = 4

/** The real store in a folder of its own, filled as the engine fills it: from lines as they were sent. */
export interface StoredLines {
  readonly store: ClickHouseStore
  /** Tables that lines are added to. */
  readonly tables: readonly LineTable[]
  /** Stores lines as one record of the log, hence one part. */
  add(lines: readonly SentLine[], options?: StoringOptions): Promise<void>
  /** Merges all parts of each day and indexes their words, as is done when there is time. */
  merge(): Promise<void>
  close(): Promise<void>
}

/**
 * @param wrapped the connection as the store is given it
 * @param tables lines are added to these tables in turn
 */
export async function openStoredLines(
  wrapped = (connection: StoreConnection) => connection,
  tables: readonly LineTable[] = ['lines'],
): Promise<StoredLines> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-lines-'))
  const connection = await openEmbeddedConnection({ path: folder })
  const store = openClickHouseStore(wrapped(connection))
  await store.open('0b9e0d6e-6f3c-4a57-9d52-30763604df9b')
  const epoch = { offset: 1n, attempt: 0 }
  const claimed = new Set<number>()
  let offset = 1n
  return {
    store,
    tables,
    async add(lines, options = {}) {
      const { partition = 0 } = options
      if (!claimed.has(partition)) await store.claim({ topic: INGEST_TOPIC, partition, epoch })
      claimed.add(partition)
      for (const [index, table] of tables.entries()) {
        const rows = lines.flatMap((_, row) => (row % tables.length === index ? [row] : []))
        if (rows.length === 0) continue
        const block = blockOf(table, lines, { offset, rows }, options)
        const target = { topic: INGEST_TOPIC, partition, table }
        const filters =
          (options.isFiltered ?? true)
            ? { filters: finish(wordFilters(block, table, SEGMENT_LINES)).block }
            : {}
        await store.insert({ ...target, epoch, block, rows: rows.length, ...filters })
      }
      offset++
    },
    async merge() {
      for (const table of LINE_TABLES) await connection.command(`OPTIMIZE TABLE ${table} FINAL`)
      // The engine takes the name of an index that it does not know, and does nothing.
      const indexes = await connection.read<{ name: string }>(
        `SELECT name FROM system.data_skipping_indices WHERE database = currentDatabase() AND table = 'lines'`,
      )
      for (const { name } of indexes)
        await connection.command(`ALTER TABLE lines MATERIALIZE INDEX ${name} SETTINGS mutations_sync = 2`)
    },
    async close() {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function blockOf(
  table: LineTable,
  lines: readonly SentLine[],
  { offset, rows }: { readonly offset: bigint; readonly rows: readonly number[] },
  options: StoringOptions,
): Uint8Array[] {
  const batch = sentBatch(lines, options.request)
  const context = {
    account: options.account ?? ACCOUNT,
    timeMs: options.timeMs ?? RECEIVED_MS,
    retentionDays: options.retentionDays ?? 30,
    poolDays: options.poolDays ?? 0,
    fieldNames: options.fieldNames ?? new FieldNames(),
    behaviour: BEHAVIOUR,
  }
  const sink = CATALOGUE.defaultOwnStore()
  const block = newLineBlock(table)
  const line = newStoredLine()
  for (const row of rows) {
    const failure = sink.fillHead(Event.ofLine(batch, row), line, context)
    if (failure !== undefined) throw new Error(failure.message)
    if (sink.head.isSentTextAlone) {
      const run = new TextRun()
      run.bytes = line.textBytes as Buffer
      run.account = context.account
      run.timeMs = context.timeMs
      run.isExact = true
      run.add(row, line.textStart, line.textEnd, sink.head.level, line.app, sink.head.own)
      block.appendHead(offset, row, line)
      context.fieldNames.beginRun()
      fillAll(wasmCodec, run, context.fieldNames, block.fields)
    } else {
      sink.fillFields(line, context)
      block.append(offset, row, line)
    }
  }
  return block.take()
}
