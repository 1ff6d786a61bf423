import { MAX_DEAD_LETTER_DAYS } from '../../schemas/log/dead-letters.ts'
import { DAY_MS } from '../times/duration.ts'
import type { LetterOrigin } from './dead-letter.ts'

/** Longer than any letter is kept: whoever asks for a replay may have another idea of the time. */
const MAX_AGE_MS = (MAX_DEAD_LETTER_DAYS + 1) * DAY_MS

/** Letters of one record: all have the time of the record. */
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
 * What a partition remembers of an account's dead letters: which pipelines ask for them, and which letters were
 * replayed. Operators choose in any order, so each letter is remembered singly, for longer than it is kept.
 */
export class DeadLetterMemory {
  readonly #enabled = new Map<string, boolean>()
  /** By source, then by offset. */
  readonly #replayed = new Map<string, Map<number, ReplayedRecord>>()

  /** True while no pipeline of the account has ever asked for dead letters. */
  get isUnused(): boolean {
    return this.#enabled.size === 0 && this.#replayed.size === 0
  }

  set(pipeline: string, isEnabled: boolean): void {
    this.#enabled.set(pipeline, isEnabled)
  }

  /** Whether the pipeline was ever told of. */
  has(pipeline: string): boolean {
    return this.#enabled.has(pipeline)
  }

  isEnabled(pipeline: string): boolean {
    return this.#enabled.get(pipeline) ?? false
  }

  /** Notes that a letter is replayed. @returns false when it was before, or is too old for anybody to know */
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
