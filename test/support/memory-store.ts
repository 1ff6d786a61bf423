import {
  type BatchInsert,
  type Epoch,
  type PartitionOwner,
  type PartitionTable,
  type Store,
  type StoredMark,
  StoreError,
  type StoreReach,
  type StoreStanding,
} from '../../engine/store/store.ts'
import { NO_DAMAGE } from '../../engine/store/store-damage.ts'
import type { StoreSize } from '../../engine/store/store-size.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import type { Position } from '../../schemas/log/position.ts'
import { isLineTable, STORE_TABLES, type StoreTable } from '../../schemas/log/tables.ts'
import { TOPIC_NUMBERS } from '../../schemas/log/topics.ts'
import { rowsOfBlock } from './mapped-row.ts'
import type { NativeValue } from './native-reader.ts'
import { type PlacedRow, rowSearches } from './row-searches.ts'

export type MemoryRow = Readonly<Record<string, NativeValue>>

interface Part {
  readonly target: PartitionTable
  readonly rows: readonly MemoryRow[]
}

/** Fate of the next insert: it is stored and answered, or the answer or the insert is lost. */
export type InsertFate = 'stored' | 'stored, answer lost' | 'lost' | 'refused'

/**
 * A store with ClickHouse's semantics for workers. A part is visible as a whole or not at all, and the fence is checked
 * when a statement starts. An insert may take effect although its caller never gets the answer.
 */
export class MemoryStore implements Store {
  readonly parts: Part[] = []
  readonly #epochs = new Map<string, Epoch>()
  readonly #marks = new Map<string, StoredMark>()
  #fate: () => InsertFate = () => 'stored'

  /** Decides the fates of inserts from now on. */
  decideInserts(fate: () => InsertFate): void {
    this.#fate = fate
  }

  /** Copies the store. @returns puts the copy in its place, with the marks or without them */
  copy(): (marked?: boolean) => void {
    const [parts, epochs, marks] = [[...this.parts], [...this.#epochs], [...this.#marks]]
    return (marked = true) => {
      this.parts.splice(0, this.parts.length, ...parts)
      this.#epochs.clear()
      this.#marks.clear()
      for (const [key, epoch] of epochs) this.#epochs.set(key, epoch)
      for (const [key, mark] of marked ? marks : []) this.#marks.set(key, mark)
    }
  }

  /** Rows of a table; those of `lines` are all lines, whatever their table is. */
  rows(table: PartitionTable['table']): MemoryRow[] {
    return this.#partsOf(table).flatMap(part => part.rows)
  }

  #partsOf(table: StoreTable): Part[] {
    return this.parts.filter(
      ({ target }) => target.table === table || (table === 'lines' && isLineTable(target.table)),
    )
  }

  #placedRows(table: StoreTable): PlacedRow[] {
    return this.#partsOf(table).flatMap(({ target: { topic, partition }, rows }) =>
      rows.map(row => ({ ...row, topic: TOPIC_NUMBERS[topic as keyof typeof TOPIC_NUMBERS], partition })),
    )
  }

  readonly damage = NO_DAMAGE

  async open(): Promise<void> {}

  async findDamage(): Promise<[]> {
    return []
  }

  async size(): Promise<StoreSize> {
    const rows = this.rows('lines').length
    return { bytes: 0, rows, oldestDay: null, diskFreeBytes: null, uncoveredRows: rows }
  }

  async claim({ topic, partition, epoch }: PartitionOwner): Promise<void> {
    const key = `${topic}/${partition}`
    const known = this.#epochs.get(key)
    if (known !== undefined && isHigher(known, epoch)) throw new StoreError('FENCED', 'fenced')
    this.#epochs.set(key, epoch)
  }

  async insert(insert: BatchInsert): Promise<void> {
    const owner = this.#epochs.get(`${insert.topic}/${insert.partition}`)
    if (owner === undefined || isHigher(owner, insert.epoch)) throw new StoreError('FENCED', 'fenced')
    const fate = this.#fate()
    if (fate === 'refused') throw new StoreError('UNAVAILABLE', 'store is away', { retriable: true })
    if (fate !== 'lost') {
      const rows = rowsOfBlock(insert.table, insert.block)
      if (rows.length !== insert.rows) throw new Error(`${rows.length} rows in a block of ${insert.rows}`)
      this.parts.push({ target: insert, rows })
    }
    if (fate !== 'stored') throw new StoreError('OUTCOME_UNKNOWN', 'connection lost', { retriable: true })
  }

  async settle(
    target: PartitionTable,
    from: Position & { readonly timeMs: number },
  ): Promise<Position | null> {
    // Like the real store: rows of earlier days are not read, and minutes begin before the errors in them.
    const sinceMs = isLineTable(target.table) ? from.timeMs : from.timeMs - DAY_MS
    let highest: Position | null = null
    for (const { target: of, rows } of this.parts) {
      if (of.topic !== target.topic || of.partition !== target.partition || of.table !== target.table)
        continue
      for (const row of rows) {
        const position = { offset: row.offset as bigint, row: row.row as number }
        if (isBefore(position, from) || Number(row.t) < sinceMs) continue
        if (highest === null || isBefore(highest, position)) highest = position
      }
    }
    return highest
  }

  async markStored(
    { topic, partition }: Pick<PartitionTable, 'topic' | 'partition'>,
    mark: StoredMark,
  ): Promise<void> {
    const key = `${topic}/${partition}`
    if (mark.storedTo > (this.#marks.get(key)?.storedTo ?? -1n)) this.#marks.set(key, mark)
  }

  async standing({ topic, partition }: Pick<PartitionTable, 'topic' | 'partition'>): Promise<StoreStanding> {
    const key = `${topic}/${partition}`
    return { owner: this.#epochs.get(key)?.offset ?? null, mark: this.#marks.get(key) ?? null }
  }

  async reached(
    target: Pick<PartitionTable, 'topic' | 'partition'>,
    from: Position & { readonly timeMs: number },
  ): Promise<StoreReach> {
    const positions = new Map<StoreTable, Position>()
    for (const table of STORE_TABLES) {
      const highest = await this.settle({ ...target, table }, from)
      if (highest !== null) positions.set(table, highest)
    }
    const rows = this.parts.filter(
      part => part.target.topic === target.topic && part.target.partition === target.partition,
    )
    const timeMs = Math.max(0, ...rows.flatMap(part => part.rows.map(row => Number(row.t))))
    return {
      owner: this.#epochs.get(`${target.topic}/${target.partition}`)?.offset ?? null,
      positions,
      timeMs,
    }
  }

  readonly #searches = rowSearches(table => this.#placedRows(table))
  readonly search = this.#searches.search
  readonly countByValue = this.#searches.countByValue
  readonly countByTime = this.#searches.countByTime
  readonly fullFieldDays = this.#searches.fullFieldDays
  readonly usageByKind = this.#searches.usageByKind
  readonly usageByKindStream = this.#searches.usageByKindStream
  readonly usageSeries = this.#searches.usageSeries
  readonly usageTotals = this.#searches.usageTotals
  readonly pipelineErrors = this.#searches.pipelineErrors
  readonly pipelineErrorCounts = this.#searches.pipelineErrorCounts
  readonly nodeMetrics = this.#searches.nodeMetrics

  async closeDay(): Promise<void> {}

  async indexWords(): Promise<void> {}

  async openDays(): Promise<string[]> {
    return []
  }

  async removeExpired(): Promise<number> {
    return 0
  }

  async close(): Promise<void> {}
}

function isHigher(a: Epoch, b: Epoch): boolean {
  return a.offset > b.offset || (a.offset === b.offset && a.attempt > b.attempt)
}

function isBefore(a: Position, b: Position): boolean {
  return a.offset < b.offset || (a.offset === b.offset && a.row < b.row)
}
