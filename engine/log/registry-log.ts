import type { RegistryIds } from '../../schemas/log/registry-ids.ts'
import { WireFormatError } from '../../schemas/log/wire-format.ts'
import {
  type Appended,
  type Bounds,
  type Log,
  LogError,
  type LogRecord,
  type NewRecord,
  type Topic,
} from './log.ts'

/** Port to the registry that keeps the schemas of a log. */
export interface SchemaLookup {
  /**
   * The schema of an id, JSON.
   *
   * @throws LogError LOG_UNAVAILABLE: retriable while the registry is unavailable, not retriable when the schema does not
   *   exist
   */
  schemaOf(id: number): Promise<string>
}

/**
 * A log whose records carry the ids of a schema registry. An id that another version of the program wrote is looked up
 * once.
 */
export function registryLog(log: Log, ids: RegistryIds, lookup: SchemaLookup): Log {
  const reader = new IdReader(ids, lookup)
  return {
    topic: async (name, partitions) => new RegistryTopic(await log.topic(name, partitions), ids, reader),
    space: () => log.space(),
    reserve: bytes => log.reserve(bytes),
    close: () => log.close(),
  }
}

/** Reads records, and learns the ids in them. */
class IdReader {
  readonly #ids: RegistryIds
  readonly #lookup: SchemaLookup
  readonly #learning = new Map<number, Promise<void>>()

  constructor(ids: RegistryIds, lookup: SchemaLookup) {
    this.#ids = ids
    this.#lookup = lookup
  }

  /** Looks up the unknown ids of the records. */
  async learnIdsOf(records: readonly LogRecord[]): Promise<void> {
    for (const { value } of records) {
      const id = this.#ids.unknownId(value)
      if (id !== undefined) await this.#learn(id)
    }
  }

  read(record: LogRecord): LogRecord {
    try {
      return { ...record, value: this.#ids.inward(record.value) }
    } catch (cause) {
      if (!(cause instanceof WireFormatError)) throw cause
      throw new LogError('LOG_CORRUPT', `Record ${record.offset}: ${cause.message}.`, { cause })
    }
  }

  /** Looks up an id; simultaneous calls for it share the request. */
  #learn(id: number): Promise<void> {
    const learning = this.#learning.get(id) ?? this.#lookUp(id).finally(() => this.#learning.delete(id))
    this.#learning.set(id, learning)
    return learning
  }

  async #lookUp(id: number): Promise<void> {
    const text = await this.#lookup.schemaOf(id)
    try {
      this.#ids.learn(id, text)
    } catch (cause) {
      if (!(cause instanceof WireFormatError)) throw cause
      throw new LogError('LOG_UNAVAILABLE', `Schema ${id} of the schema registry: ${cause.message}.`, {
        cause,
      })
    }
  }
}

class RegistryTopic implements Topic {
  readonly #topic: Topic
  readonly #ids: RegistryIds
  readonly #reader: IdReader

  constructor(topic: Topic, ids: RegistryIds, reader: IdReader) {
    this.#topic = topic
    this.#ids = ids
    this.#reader = reader
  }

  get name(): string {
    return this.#topic.name
  }

  get logId(): string {
    return this.#topic.logId
  }

  get partitions(): number {
    return this.#topic.partitions
  }

  async presentId(): Promise<string> {
    return (await this.#topic.presentId?.()) ?? this.logId
  }

  append(partition: number, record: NewRecord): Promise<Appended> {
    return this.#topic.append(partition, { ...record, value: this.#ids.outward(record.value) })
  }

  async read(partition: number, from: bigint, maxBytes: number): Promise<readonly LogRecord[]> {
    const records = await this.#topic.read(partition, from, maxBytes)
    await this.#reader.learnIdsOf(records)
    return records.map(record => this.#reader.read(record))
  }

  bounds(partition: number): Promise<Bounds> {
    return this.#topic.bounds(partition)
  }

  waitBeyond(partition: number, offset: bigint, signal: AbortSignal): Promise<void> {
    return this.#topic.waitBeyond(partition, offset, signal)
  }

  trim(partition: number, before: bigint): Promise<void> {
    return this.#topic.trim(partition, before)
  }

  offsetAtTime(partition: number, timeMs: number): Promise<bigint | null> {
    return this.#topic.offsetAtTime(partition, timeMs)
  }
}
