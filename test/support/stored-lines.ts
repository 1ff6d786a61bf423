import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Event } from '../../engine/event/event.ts'
import { newLineBlock } from '../../engine/lines/native-block/line-block.ts'
import { FieldNames } from '../../engine/lines/stored-line/line-fields.ts'
import { newStoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import { wordFilters } from '../../engine/lines/word-filter/word-filters.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { finish } from '../../engine/steps.ts'
import { type ClickHouseStore, openClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import type { StoreConnection } from '../../engine/store/connection.ts'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { IngestRequest } from '../../schemas/log/line-batch.ts'
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
  /** Absent: the lines get filters. */
  readonly isFiltered?: false
}

/** Few, so that filters exclude lines in a small store. */
const SEGMENT_LINES = 4

/** The real store in a folder of its own, filled as the engine fills it: from lines as they were sent. */
export interface StoredLines {
  readonly store: ClickHouseStore
  /** Stores lines as one record of the log, hence one part. */
  add(lines: readonly SentLine[], options?: StoringOptions): Promise<void>
  /** Merges all parts of each day and indexes their words, as is done when there is time. */
  merge(): Promise<void>
  close(): Promise<void>
}

/** @param wrapped the connection as the store is given it */
export async function openStoredLines(
  wrapped = (connection: StoreConnection) => connection,
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
    async add(lines, options = {}) {
      const { partition = 0 } = options
      if (!claimed.has(partition)) await store.claim({ topic: INGEST_TOPIC, partition, epoch })
      claimed.add(partition)
      const block = blockOf(lines, offset++, options)
      const target = { topic: INGEST_TOPIC, partition, table: 'lines' as const }
      const filters =
        (options.isFiltered ?? true) ? { filters: finish(wordFilters(block, SEGMENT_LINES)).block } : {}
      await store.insert({ ...target, epoch, block, rows: lines.length, ...filters })
    },
    async merge() {
      await connection.command('OPTIMIZE TABLE lines FINAL')
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

function blockOf(lines: readonly SentLine[], offset: bigint, options: StoringOptions): Uint8Array[] {
  const batch = sentBatch(lines, options.request)
  const context = {
    account: options.account ?? ACCOUNT,
    timeMs: options.timeMs ?? RECEIVED_MS,
    retentionDays: options.retentionDays ?? 30,
    poolDays: options.poolDays ?? 0,
    fieldNames: new FieldNames(),
    behaviour: BEHAVIOUR,
  }
  const sink = CATALOGUE.defaultOwnStore()
  const block = newLineBlock()
  const line = newStoredLine()
  for (let row = 0; row < lines.length; row++) {
    const failure = sink.fill(Event.ofLine(batch, row), line, context)
    if (failure !== undefined) throw new Error(failure.message)
    block.append(offset, row, line)
  }
  return block.take()
}
