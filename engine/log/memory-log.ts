import type { Clock } from '../clock/clock.ts'
import type { Entropy } from '../entropy/entropy.ts'
import {
  assertAppendable,
  assertPartition,
  assertReadable,
  assertTopic,
  closedError,
  partitionsDiffer,
} from './appendable.ts'
import { frameBytes } from './frame.ts'
import type { Appended, Bounds, Log, LogRecord, LogSpace, NewRecord, Topic } from './log.ts'
import { LogRoom } from './log-room.ts'
import { OffsetWaiters } from './offset-waiters.ts'

export interface MemoryLogOptions {
  readonly clock: Clock
  readonly entropy: Entropy
  /** Maximum size, counted as in a segment file. Default: no limit. */
  readonly maxBytes?: number
  readonly reserveShare?: number
  /** State that outlives `close`: a log opened over the same storage continues where the last one stopped. */
  readonly storage?: MemoryStorage
}

export type MemoryStorage = Map<string, StoredTopic>

interface StoredTopic {
  readonly logId: string
  readonly partitions: readonly StoredPartition[]
}

interface StoredPartition {
  first: number
  records: LogRecord[]
}

/**
 * A log in memory for tests and simulations, without timers and threads; an append is durable in its `storage` at once.
 */
export function memoryLog({
  clock,
  entropy,
  maxBytes = Number.MAX_SAFE_INTEGER,
  reserveShare = 0.2,
  storage = new Map(),
}: MemoryLogOptions): Log {
  return new MemoryLog(clock, entropy, maxBytes, reserveShare, storage)
}

class MemoryLog implements Log {
  readonly #clock: Clock
  readonly #entropy: Entropy
  readonly #storage: MemoryStorage
  readonly #room: LogRoom
  readonly #topics = new Map<string, MemoryTopic>()
  #closed = false

  constructor(
    clock: Clock,
    entropy: Entropy,
    maxBytes: number,
    reserveShare: number,
    storage: MemoryStorage,
  ) {
    this.#clock = clock
    this.#entropy = entropy
    this.#storage = storage
    const freeBytes = () => Number.POSITIVE_INFINITY
    this.#room = new LogRoom({ clock, maxBytes, reserveShare, minFreeDiskBytes: 0, freeBytes })
    for (const topic of storage.values()) {
      for (const { records } of topic.partitions) this.#room.change(sumBytes(records))
    }
  }

  async topic(name: string, partitions: number): Promise<Topic> {
    if (this.#closed) throw closedError()
    assertTopic(name, partitions)
    const stored = this.#storage.get(name) ?? this.#create(name, partitions)
    if (stored.partitions.length !== partitions) {
      throw partitionsDiffer(name, stored.partitions.length, partitions)
    }
    const topic = this.#topics.get(name) ?? new MemoryTopic(name, stored, this.#clock, this.#room)
    this.#topics.set(name, topic)
    return topic
  }

  space(): LogSpace {
    return this.#room.space()
  }

  reserve(bytes: number): void {
    this.#room.reserve(bytes)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const topic of this.#topics.values()) topic.close()
  }

  #create(name: string, partitions: number): StoredTopic {
    const stored = {
      logId: this.#entropy.uuid(),
      partitions: Array.from({ length: partitions }, () => ({ first: 0, records: [] })),
    }
    this.#storage.set(name, stored)
    return stored
  }
}

class MemoryTopic implements Topic {
  readonly name: string
  readonly #stored: StoredTopic
  readonly #clock: Clock
  readonly #room: LogRoom
  readonly #waiters: readonly OffsetWaiters[]
  #closed = false

  constructor(name: string, stored: StoredTopic, clock: Clock, room: LogRoom) {
    this.name = name
    this.#stored = stored
    this.#clock = clock
    this.#room = room
    this.#waiters = stored.partitions.map(() => new OffsetWaiters())
  }

  get logId(): string {
    return this.#stored.logId
  }

  get partitions(): number {
    return this.#stored.partitions.length
  }

  async append(partition: number, record: NewRecord): Promise<Appended> {
    const stored = this.#partition(partition)
    assertAppendable(record)
    const bytes = frameBytes(record)
    this.#room.admit(bytes, record.priority, () => sumBytes(stored.records))
    this.#room.settle(bytes, bytes)
    const offset = BigInt(nextOf(stored))
    const appended = { offset, appendTimeMs: this.#clock.wallMs() }
    const knownEnd = record.knownEnd?.()
    stored.records.push({
      ...appended,
      value: Buffer.from(record.value),
      producer: record.producer,
      ...(knownEnd && { knownEnd }),
    })
    this.#waiters[partition]?.advance(nextOf(stored))
    return appended
  }

  async read(partition: number, from: bigint, maxBytes: number): Promise<readonly LogRecord[]> {
    const stored = this.#partition(partition)
    assertReadable(this.name, partition, from, stored.first, nextOf(stored))
    const start = Number(from) - stored.first
    let end = start
    let bytes = 0
    for (; end < stored.records.length; end++) {
      bytes += stored.records[end]?.value.length ?? 0
      if (bytes > maxBytes && end > start) break
    }
    return stored.records.slice(start, end)
  }

  async bounds(partition: number): Promise<Bounds> {
    const stored = this.#partition(partition)
    return { first: BigInt(stored.first), next: BigInt(nextOf(stored)) }
  }

  async waitBeyond(partition: number, offset: bigint, signal: AbortSignal): Promise<void> {
    const stored = this.#partition(partition)
    if (signal.aborted || nextOf(stored) > offset) return
    await this.#waiters[partition]?.wait(Number(offset), signal)
  }

  async trim(partition: number, before: bigint): Promise<void> {
    const stored = this.#partition(partition)
    const kept = Math.min(Number(before), nextOf(stored))
    if (kept <= stored.first) return
    const gone = stored.records.splice(0, kept - stored.first)
    stored.first = kept
    this.#room.change(-sumBytes(gone))
  }

  async offsetAtTime(partition: number, timeMs: number): Promise<bigint | null> {
    const { records } = this.#partition(partition)
    return records.find(record => record.appendTimeMs >= timeMs)?.offset ?? null
  }

  close(): void {
    this.#closed = true
    for (const waiters of this.#waiters) waiters.close()
  }

  #partition(partition: number): StoredPartition {
    if (this.#closed) throw closedError()
    assertPartition(this.name, this.partitions, partition)
    return this.#stored.partitions[partition] as StoredPartition
  }
}

function nextOf({ first, records }: StoredPartition): number {
  return first + records.length
}

function sumBytes(records: readonly LogRecord[]): number {
  return records.reduce((sum, record) => sum + frameBytes(record), 0)
}
