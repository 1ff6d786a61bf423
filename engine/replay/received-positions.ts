import { checkpointType } from '../../schemas/log/checkpoint.ts'
import type { Position } from '../../schemas/log/position.ts'
import { type Rekeyed, rekeyedType } from '../../schemas/log/rekeyed.ts'
import { schemaIdOf, WireFormatError } from '../../schemas/log/wire-format.ts'
import type { PartitionName } from '../fold/run-watch.ts'
import { lastPositionIn } from '../fold/spread/rekeyed-part.ts'
import { passedIn, sourceKey } from '../fold/spread/spread-account.ts'
import { LogError, type LogRecord, type Topic } from '../log/log.ts'
import { CheckpointLog } from './checkpoint-log.ts'

const READ_BYTES = 8 * 1024 * 1024

/**
 * Positions that the partitions of a topic have received from other partitions. An event that moved leaves no other trace
 * of its origin: rows and counts do not name a record of it. The sources are the newest checkpoint of each partition, the
 * records after it, and later the new records.
 */
export class ReceivedPositions {
  readonly #topic: Topic
  readonly #checkpoints: Topic
  /** The first record that was not read, by partition. */
  readonly #lookedTo: bigint[]
  /** The first record that was not read, by partition of the checkpoints. */
  readonly #checkpointsTo: bigint[]
  /** The lowest offset above all received positions, by sending partition. */
  readonly #beyond = new Map<string, bigint>()
  #looking: Promise<void> = Promise.resolve()

  constructor({ topic, checkpoints }: { readonly topic: Topic; readonly checkpoints: Topic }) {
    this.#topic = topic
    this.#checkpoints = checkpoints
    this.#lookedTo = Array.from({ length: topic.partitions }, () => 0n)
    this.#checkpointsTo = Array.from({ length: topic.partitions }, () => 0n)
  }

  /**
   * Lowest offset of a partition above all records whose events were received; 0: there are none.
   *
   * @throws LogError, retriable ones, too
   */
  async beyond(source: PartitionName): Promise<bigint> {
    // Partitions of the same topic do not send to each other.
    if (source.topic === this.#topic.name) return 0n
    // Simultaneous callers share a look.
    this.#looking = this.#looking.catch(() => undefined).then(() => this.#lookAtAll())
    await this.#looking
    return this.#beyond.get(sourceKey(source)) ?? 0n
  }

  async #lookAtAll(): Promise<void> {
    for (let partition = 0; partition < this.#topic.partitions; partition++) await this.#lookAt(partition)
  }

  async #lookAt(partition: number): Promise<void> {
    const { first, next } = await this.#topic.bounds(partition)
    const lookedTo = this.#lookedTo[partition] ?? 0n
    if (next <= lookedTo && next > 0n) return
    const included = await this.#lookAtCheckpoint(partition)
    let offset = [first, lookedTo, included].reduce((most, each) => (each > most ? each : most))
    while (offset < next) {
      const records = await this.#read(partition, offset)
      if (records.length === 0) break
      for (const record of records) {
        this.#noteRecord(record)
        offset = record.offset + 1n
      }
    }
    this.#lookedTo[partition] = next
  }

  /** @returns the first record that it does not include */
  async #lookAtCheckpoint(partition: number): Promise<bigint> {
    const log = new CheckpointLog(this.#checkpoints, { topic: this.#topic, partition })
    const checkpointsTo = await log.nextRecord()
    if (checkpointsTo === this.#checkpointsTo[partition]) return 0n
    const kept = await log.newest()
    this.#checkpointsTo[partition] = checkpointsTo
    if (kept === undefined) return 0n
    const { logId, states } = checkpointType.decode(kept.body)
    for (const { holder, data } of states)
      if ('weir.AccountPart' in holder && holder['weir.AccountPart'].part === 'spread')
        for (const [source, position] of passedIn(data)) this.#note(source, position)
    // A topic that was created again begins at 0, while its former checkpoint still has the received positions.
    return logId === this.#topic.logId ? kept.nextOffset : 0n
  }

  /** Damaged records count as empty: the owner of the partition reports the damage. */
  async #read(partition: number, offset: bigint): Promise<readonly LogRecord[]> {
    try {
      return await this.#topic.read(partition, offset, READ_BYTES)
    } catch (error) {
      if (error instanceof LogError && error.code === 'LOG_CORRUPT') return []
      throw error
    }
  }

  #noteRecord({ value }: LogRecord): void {
    const sent = rekeyedIn(value)
    const last = sent?.parts.at(-1)
    if (sent === undefined || last === undefined) return
    const { sourceTopic: topic, sourcePartition: partition } = sent
    this.#note(sourceKey({ topic, partition }), lastPositionIn(last))
  }

  #note(source: string, { offset }: Position): void {
    if (offset >= (this.#beyond.get(source) ?? 0n)) this.#beyond.set(source, offset + 1n)
  }
}

/** @returns undefined for a record of another kind, or one that this program cannot read */
function rekeyedIn(value: Buffer): Rekeyed | undefined {
  try {
    return schemaIdOf(value) === rekeyedType.id ? rekeyedType.decode(value) : undefined
  } catch (error) {
    if (error instanceof WireFormatError) return undefined
    throw error
  }
}
