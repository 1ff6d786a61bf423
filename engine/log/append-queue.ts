import { setImmediate } from 'node:timers/promises'
import { closedError } from './appendable.ts'
import { frameBytes } from './frame.ts'
import { type Appended, LogError, type NewRecord } from './log.ts'
import type { LogRoom } from './log-room.ts'

/** Maximum bytes per flush, unless a single record is larger: later appends should not wait for long. */
const MAX_FLUSH_BYTES = 8 * 1024 * 1024

export interface WaitingAppend {
  readonly record: NewRecord
  readonly appendTimeMs: number
  readonly bytes: number
  readonly resolve: (appended: Appended) => void
  readonly reject: (error: unknown) => void
}

/** Place of a stored group on the log. */
export interface StoredGroup {
  /** Offset of its first record. */
  readonly first: number
  /** Append time, if the log has its own clock. */
  readonly appendTimeMs?: number
}

/** Stores a group with one flush. @throws LogError LOG_FULL, LOG_UNAVAILABLE */
export type StoreGroup = (group: readonly WaitingAppend[]) => Promise<StoredGroup>

type Room = Pick<LogRoom, 'admit' | 'settle'>

/**
 * Group commit: appends that arrive during a flush wait for the next one, which takes them all in the order of the calls.
 */
export class AppendQueue {
  readonly #room: Room
  readonly #store: StoreGroup
  readonly #heldBytes: (() => number) | undefined
  #waiting: WaitingAppend[] = []
  #flushing: Promise<void> | undefined
  #closed = false

  /** @param heldBytes size of the partition, in bytes */
  constructor(room: Room, store: StoreGroup, heldBytes?: () => number) {
    this.#room = room
    this.#store = store
    this.#heldBytes = heldBytes
  }

  append(record: NewRecord, appendTimeMs: number): Promise<Appended> {
    if (this.#closed) throw closedError()
    const bytes = frameBytes(record)
    this.#room.admit(bytes, record.priority, this.#heldBytes)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, appendTimeMs, bytes, resolve, reject })
      this.#flushing ??= this.#flushAll()
    })
  }

  /** Refuses further appends and waits for the accepted ones. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#flushing
  }

  async #flushAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Appends that arrive in the same turn of the event loop, or after an answer in it, join this flush.
      await setImmediate()
      await this.#flush(this.#takeGroup())
    }
    this.#flushing = undefined
  }

  #takeGroup(): WaitingAppend[] {
    let bytes = 0
    let count = 0
    for (const waiting of this.#waiting) {
      bytes += waiting.bytes
      if (bytes > MAX_FLUSH_BYTES && count > 0) break
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #flush(group: readonly WaitingAppend[]): Promise<void> {
    let stored: StoredGroup
    try {
      stored = await this.#store(group)
    } catch (error) {
      await this.#giveUp(group, error)
      return
    }
    for (const [place, { bytes, appendTimeMs, resolve }] of group.entries()) {
      this.#room.settle(bytes, bytes)
      resolve({
        offset: BigInt(stored.first + place),
        appendTimeMs: stored.appendTimeMs ?? appendTimeMs,
      })
    }
  }

  async #giveUp(group: readonly WaitingAppend[], error: unknown): Promise<void> {
    const control = group.filter(({ record }) => record.priority === 'control')
    const others = group.filter(({ record }) => record.priority !== 'control')
    const isFull = error instanceof LogError && error.code === 'LOG_FULL'
    const mayFit = isFull && others.length > 0 && control.length > 0
    for (const waiting of mayFit ? others : group) this.#fail(waiting, error)
    if (mayFit) await this.#flush(control) // on a full disk, the others wait for control records
  }

  #fail({ bytes, reject }: WaitingAppend, error: unknown): void {
    this.#room.settle(bytes, 0)
    reject(error)
  }
}
