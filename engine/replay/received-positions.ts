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
 * What the partitions of a topic have received from others, by the position that each thing was sent from: events that
 * moved on leave nothing else of the partition that they came from, neither rows nor counts that name a record of it.
 * Read are the newest checkpoint of each partition and the records behind it, and later what was added.
 */
export class ReceivedPositions {
  readonly #topic: Topic
  readonly #checkpoints: Topic
  /** By partition, the first record that was not looked at. */
  readonly #lookedTo: bigint[]
  /** By partition, the checkpoints that were looked at: the first record that was not there yet. */
  readonly #checkpointsTo: bigint[]
  /** By the partition that sends, the lowest offset beyond all that was sent. */
  readonly #beyond = new Map<string, bigint>()
  #looking: Promise<void> = Promise.resolve()

  constructor({ topic, checkpoints }: { readonly topic: Topic; readonly checkpoints: Topic }) {
    this.#topic = topic
    this.#checkpoints = checkpoints
    this.#lookedTo = Array.from({ length: topic.partitions }, () => 0n)
    this.#checkpointsTo = Array.from({ length: topic.partitions }, () => 0n)
  }

  /**
   * Lowest offset of a partition beyond all that was sent from it; 0: nothing was.
   *
   * @throws LogError, retriable ones, too
   */
  async beyond(source: PartitionName): Promise<bigint> {
    // Partitions of one topic send each other nothing.
    if (source.topic === this.#topic.name) return 0n
    // Those who ask at once share a look, one after the other.
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
    if (next <= lookedTo) return
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
    if (logId !== this.#topic.logId) return 0n
    for (const { holder, data } of states)
      if (holder.startsWith('spread '))
        for (const [source, position] of passedIn(data)) this.#note(source, position)
    return kept.nextOffset
  }

  /** What is damaged tells nothing: whose partition it is says so. */
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

/** @returns undefined when the record is another, or one that this program cannot read */
function rekeyedIn(value: Buffer): Rekeyed | undefined {
  try {
    return schemaIdOf(value) === rekeyedType.id ? rekeyedType.decode(value) : undefined
  } catch (error) {
    if (error instanceof WireFormatError) return undefined
    throw error
  }
}
