import {
  type BatchInsert,
  type Epoch,
  type PartitionOwner,
  type PartitionTable,
  type Statement,
  type Store,
  StoreError,
  type StoreReach,
} from '../../engine/store/store.ts'
import { NO_DAMAGE } from '../../engine/store/store-damage.ts'
import type { Position } from '../../schemas/log/position.ts'
import { STORE_TABLES, type StoreTable } from '../../schemas/log/tables.ts'
import { type NativeValue, readNativeBlock } from './native-reader.ts'

export type MemoryRow = Readonly<Record<string, NativeValue>>

interface Part {
  readonly target: PartitionTable
  readonly rows: readonly MemoryRow[]
}

/** What becomes of the next insert: it is stored and answered, or the answer or the insert is lost. */
export type InsertFate = 'stored' | 'stored, answer lost' | 'lost' | 'refused'

/**
 * A store with ClickHouse's semantics for what workers do: a part is visible whole or not at all, the fence is
 * judged when a statement starts, an insert may take effect although its caller never hears of it.
 */
export class MemoryStore implements Store {
  readonly parts: Part[] = []
  readonly #epochs = new Map<string, Epoch>()
  #fate: () => InsertFate = () => 'stored'

  /** Decides what becomes of inserts from now on. */
  decideInserts(fate: () => InsertFate): void {
    this.#fate = fate
  }

  rows(table: PartitionTable['table']): MemoryRow[] {
    return this.parts.filter(part => part.target.table === table).flatMap(part => part.rows)
  }

  readonly damage = NO_DAMAGE

  async open(): Promise<void> {}

  async findDamage(): Promise<[]> {
    return []
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
      const { rows } = readNativeBlock(insert.block)
      if (rows.length !== insert.rows) throw new Error(`${rows.length} rows in a block of ${insert.rows}`)
      this.parts.push({ target: insert, rows })
    }
    if (fate !== 'stored') throw new StoreError('OUTCOME_UNKNOWN', 'connection lost', { retriable: true })
  }

  async settle(
    target: PartitionTable,
    from: Position & { readonly timeMs: number },
  ): Promise<Position | null> {
    // As the real store: rows of earlier days are not looked at, and minutes begin before what they tell of.
    const sinceMs = target.table === 'lines' ? from.timeMs : from.timeMs - 86_400_000
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

  async query<Row>(_statement: Statement): Promise<Row[]> {
    throw new StoreError('STATEMENT_FAILED', 'this store answers no SQL')
  }

  // biome-ignore lint/correctness/useYield: there is nothing that it could give
  async *queryStream<Row>(_statement: Statement): AsyncIterable<Row[]> {
    throw new StoreError('STATEMENT_FAILED', 'this store answers no SQL')
  }

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
