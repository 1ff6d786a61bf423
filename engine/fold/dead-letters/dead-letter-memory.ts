import { MAX_DEAD_LETTER_DAYS } from '../../../schemas/log/dead-letters.ts'
import { DAY_MS } from '../../times/duration.ts'
import type { LetterOrigin } from './dead-letter.ts'

/** Longer than the retention of any letter, because the clock of a process that requests a replay may differ. */
const MAX_AGE_MS = (MAX_DEAD_LETTER_DAYS + 1) * DAY_MS

/** Letters of one record, which all have the time of the record. */
interface ReplayedRecord {
  readonly failedAtMs: number
  readonly rows: Set<number>
}

interface Snapshot {
  readonly enabled: readonly (readonly [pipeline: string, isEnabled: boolean])[]
  readonly replayed: readonly (readonly [
    source: string,
    records: readonly (readonly [offset: number, failedAtMs: number, rows: readonly number[]])[],
  ])[]
}

/**
 * Memory of a partition about an account's dead letters: the pipelines that keep them, and the letters that were
 * replayed. Operators choose letters in any order, so each is remembered separately, for longer than it is kept.
 */
export class DeadLetterMemory {
  readonly #enabled = new Map<string, boolean>()
  /** Replayed records by source, then by offset. */
  readonly #replayed = new Map<string, Map<number, ReplayedRecord>>()

  /** True as long as no pipeline of the account has ever kept dead letters. */
  get isUnused(): boolean {
    return this.#enabled.size === 0 && this.#replayed.size === 0
  }

  set(pipeline: string, isEnabled: boolean): void {
    this.#enabled.set(pipeline, isEnabled)
  }

  /** Whether the settings of the pipeline were ever received. */
  has(pipeline: string): boolean {
    return this.#enabled.has(pipeline)
  }

  isEnabled(pipeline: string): boolean {
    return this.#enabled.get(pipeline) ?? false
  }

  /** Notes that a letter is replayed. @returns false when it was replayed before, or is so old that this is unknown */
  advance({ topic, partition, offset, row }: LetterOrigin, failedAtMs: number, timeMs: number): boolean {
    if (failedAtMs < timeMs - MAX_AGE_MS) return false
    const source = `${topic} ${partition}`
    const records = this.#replayed.get(source) ?? new Map<number, ReplayedRecord>()
    this.#replayed.set(source, records)
    const record = records.get(offset) ?? { failedAtMs, rows: new Set() }
    records.set(offset, record)
    if (record.rows.has(row)) return false
    record.rows.add(row)
    return true
  }

  snapshot(timeMs: number): Buffer {
    this.#forget(timeMs - MAX_AGE_MS)
    const snapshot: Snapshot = {
      enabled: [...this.#enabled],
      replayed: [...this.#replayed].map(([source, records]) => [
        source,
        [...records].map(([offset, { failedAtMs, rows }]) => [offset, failedAtMs, [...rows]]),
      ]),
    }
    return Buffer.from(JSON.stringify(snapshot))
  }

  restore(data: Buffer): void {
    const { enabled, replayed } = JSON.parse(data.toString()) as Snapshot
    for (const [pipeline, isEnabled] of enabled) this.#enabled.set(pipeline, isEnabled)
    for (const [source, records] of replayed) {
      const byOffset = records.map(
        ([offset, failedAtMs, rows]) => [offset, { failedAtMs, rows: new Set(rows) }] as const,
      )
      this.#replayed.set(source, new Map(byOffset))
    }
  }

  #forget(beforeMs: number): void {
    for (const [source, records] of this.#replayed) {
      for (const [offset, { failedAtMs }] of records) if (failedAtMs < beforeMs) records.delete(offset)
      if (records.size === 0) this.#replayed.delete(source)
    }
  }
}
