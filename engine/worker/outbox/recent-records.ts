import type { LogRecord, Topic } from '../../log/log.ts'

/** Kept records of one partition, by offset. */
type KeptRecords = Map<bigint, LogRecord>

/** Bounds the bytes of the records that are kept, those of all partitions of a process together. The ones that were read first go first. */
export class RecordShelf {
  readonly #limitBytes: number
  /** Each record with those of its partition, the one that was read first comes first. */
  readonly #kept = new Map<LogRecord, KeptRecords>()
  #bytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** Keeps a record of a partition, unless it is larger than the shelf. */
  put(record: LogRecord, partition: KeptRecords): void {
    if (partition.has(record.offset) || record.value.length > this.#limitBytes) return
    partition.set(record.offset, record)
    this.#kept.set(record, partition)
    this.#bytes += record.value.length
    for (const [oldest, owner] of this.#kept) {
      if (this.#bytes <= this.#limitBytes) break
      this.#drop(oldest, owner)
    }
  }

  /** Drops the records of a partition. */
  clear(partition: KeptRecords): void {
    for (const record of partition.values()) this.#drop(record, partition)
  }

  #drop(record: LogRecord, partition: KeptRecords): void {
    this.#kept.delete(record)
    partition.delete(record.offset)
    this.#bytes -= record.value.length
  }
}

/**
 * Reads a partition, and keeps the records that were read last: the fold, the cursors of lanes and the sender read the same ones. As the
 * same objects they are decoded once. A lane sends events soon after it has read them, so most of that is still there.
 */
export class RecentRecords {
  readonly #topic: Pick<Topic, 'name' | 'read'>
  readonly #shelf: RecordShelf
  readonly #kept: KeptRecords = new Map()

  constructor(topic: Pick<Topic, 'name' | 'read'>, shelf: RecordShelf) {
    this.#topic = topic
    this.#shelf = shelf
  }

  get name(): string {
    return this.#topic.name
  }

  /** Like `Topic.read`. Records that are kept are returned also after the log was trimmed. */
  async read(partition: number, from: bigint, maxBytes: number): Promise<readonly LogRecord[]> {
    const kept = this.#keptFrom(from, maxBytes)
    if (kept.length > 0) return kept
    const records = await this.#topic.read(partition, from, maxBytes)
    for (const record of records) this.#shelf.put(record, this.#kept)
    return records
  }

  /** Reads in the same way, but keeps nothing further. */
  async readOnce(partition: number, from: bigint, maxBytes: number): Promise<readonly LogRecord[]> {
    const kept = this.#keptFrom(from, maxBytes)
    return kept.length > 0 ? kept : this.#topic.read(partition, from, maxBytes)
  }

  /** Drops all records. */
  clear(): void {
    this.#shelf.clear(this.#kept)
  }

  #keptFrom(from: bigint, maxBytes: number): LogRecord[] {
    const found: LogRecord[] = []
    let bytes = 0
    for (
      let record = this.#kept.get(from);
      record !== undefined;
      record = this.#kept.get(record.offset + 1n)
    ) {
      bytes += record.value.length
      if (found.length > 0 && bytes > maxBytes) break
      found.push(record)
    }
    return found
  }
}
