import { checkpointType } from '../../schemas/log/checkpoint.ts'
import { type DeadLetters, deadLettersType } from '../../schemas/log/dead-letters.ts'
import type { Position } from '../../schemas/log/position.ts'
import { type Rekeyed, rekeyedType } from '../../schemas/log/rekeyed.ts'
import { type ExtendedType, schemaIdOf, WireFormatError } from '../../schemas/log/wire-format.ts'
import type { PartitionName } from '../fold/run-watch.ts'
import { lastPositionIn } from '../fold/spread/rekeyed-part.ts'
import { passedIn, sourceKey } from '../fold/spread/spread-account.ts'
import { LogError, type LogRecord, type Topic } from '../log/log.ts'
import type { CheckpointedTopic, PartitionedTopics } from '../log/partitioned-topics.ts'
import { HOUR_MS } from '../times/duration.ts'
import { CheckpointLog } from './checkpoint-log.ts'

const READ_BYTES = 8 * 1024 * 1024
const UNREADABLE: readonly string[] = ['LOG_CORRUPT', 'LOG_OFFSET_OUT_OF_RANGE']
/** Letters have the time of their own topic, whose clock may be another broker's. */
const CLOCK_MARGIN_MS = HOUR_MS

/**
 * Positions that other partitions have received from a partition. An event that moved, or failed, leaves no other trace of
 * its origin: rows and counts do not name a record of it.
 */
export class ReceivedPositions {
  readonly #ingest: Topic
  readonly #homes: ReceivingTopic
  readonly #keyed: ReceivingTopic
  readonly #letters: LetterTopic
  /** The lowest offset above all received positions, by sending partition. */
  readonly #beyond = new Map<string, bigint>()
  readonly #homesOf: () => Iterable<number>
  #looking: Promise<void> = Promise.resolve()

  /**
   * @param homesOf partitions of the ingest topic that may have received something: the homes of accounts that are, or
   *   were, spread
   */
  constructor(
    { ingest, checkpoints, keyed, deadLetters }: PartitionedTopics,
    homesOf: () => Iterable<number>,
  ) {
    const note: Note = (source, { offset }) => {
      if (offset >= (this.#beyond.get(source) ?? 0n)) this.#beyond.set(source, offset + 1n)
    }
    this.#ingest = ingest
    this.#homes = new ReceivingTopic({ topic: ingest, checkpoints }, note)
    this.#keyed = new ReceivingTopic(keyed, note)
    this.#letters = new LetterTopic(deadLetters, note)
    this.#homesOf = homesOf
  }

  /**
   * Lowest offset of a partition above all records whose events were received; 0: there are none.
   *
   * @param sinceMs log time of the newest checkpoint of the partition; 0: there is none. Failures before it are not needed
   * @throws LogError, retriable ones, too
   */
  async beyond(source: PartitionName, sinceMs: number): Promise<bigint> {
    // A look continues where the one before has ended.
    this.#looking = this.#looking.catch(() => undefined).then(() => this.#lookFor(source, sinceMs))
    await this.#looking
    return this.#beyond.get(sourceKey(source)) ?? 0n
  }

  /** Partitions of the same topic do not send to each other. */
  async #lookFor({ topic }: PartitionName, sinceMs: number): Promise<void> {
    if (topic === this.#ingest.name) await this.#keyed.lookAt(partitionsOf(this.#ingest))
    else await this.#homes.lookAt(this.#homesOf())
    await this.#letters.lookFrom(sinceMs - CLOCK_MARGIN_MS)
  }
}

/** @param source key of the partition that the events came from */
type Note = (source: string, position: Pick<Position, 'offset'>) => void

/**
 * A topic whose partitions receive events. The sources are the newest checkpoint of each partition, the records after it,
 * and later the new records.
 */
class ReceivingTopic {
  readonly #topic: Topic
  readonly #checkpoints: Topic
  readonly #note: Note
  /** The first record that was not read, by partition. */
  readonly #lookedTo: bigint[]
  /** The first record that was not read, by partition of the checkpoints. */
  readonly #checkpointsTo: bigint[]

  constructor({ topic, checkpoints }: CheckpointedTopic, note: Note) {
    this.#topic = topic
    this.#checkpoints = checkpoints
    this.#note = note
    this.#lookedTo = partitionsOf(topic).map(() => 0n)
    this.#checkpointsTo = partitionsOf(topic).map(() => 0n)
  }

  async lookAt(partitions: Iterable<number>): Promise<void> {
    for (const partition of partitions) await this.#lookAt(partition)
  }

  async #lookAt(partition: number): Promise<void> {
    const { first, next } = await this.#topic.bounds(partition)
    const lookedTo = this.#lookedTo[partition] ?? 0n
    if (next <= lookedTo && next > 0n) return
    const included = await this.#lookAtCheckpoint(partition)
    const from = [first, lookedTo, included].reduce((most, each) => (each > most ? each : most))
    await readBetween(this.#topic, partition, { from, to: next }, record => this.#noteRecord(record))
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

  #noteRecord({ value }: LogRecord): void {
    const sent = decodedAs<Rekeyed>(rekeyedType, value)
    const last = sent?.parts.at(-1)
    if (sent === undefined || last === undefined) return
    this.#note(sourceKey({ topic: sent.sourceTopic, partition: sent.sourcePartition }), lastPositionIn(last))
  }
}

/** The dead-letter topic, as far as it was read: from a time on. */
class LetterTopic {
  readonly #topic: Topic
  readonly #note: Note
  /** Records that were read, by partition. */
  readonly #read: ({ from: bigint; to: bigint } | undefined)[] = []

  constructor(topic: Topic, note: Note) {
    this.#topic = topic
    this.#note = note
  }

  async lookFrom(timeMs: number): Promise<void> {
    for (const partition of partitionsOf(this.#topic)) await this.#lookAt(partition, timeMs)
  }

  async #lookAt(partition: number, timeMs: number): Promise<void> {
    const { first, next } = await this.#topic.bounds(partition)
    if (first === next) return
    const from = timeMs <= 0 ? first : ((await this.#topic.offsetAtTime(partition, timeMs)) ?? next)
    const read = this.#read[partition] ?? { from: next, to: next }
    this.#read[partition] = read
    const note = (record: LogRecord) => this.#noteRecord(record)
    await readBetween(this.#topic, partition, { from: read.to, to: next }, note)
    read.to = next
    if (from >= read.from) return
    await readBetween(this.#topic, partition, { from, to: read.from }, note)
    read.from = from
  }

  #noteRecord({ value }: LogRecord): void {
    for (const part of decodedAs<DeadLetters>(deadLettersType, value)?.parts ?? []) {
      const letters = 'weir.FailedEvents' in part ? part['weir.FailedEvents'] : part['weir.ReplayedEvents']
      const names = 'failures' in letters ? letters.failures : letters.positions
      for (const { offset } of names) this.#note(sourceKey(letters), { offset: BigInt(offset) })
    }
  }
}

/** Reads records of a partition, without those that are trimmed in the meantime. */
async function readBetween(
  topic: Topic,
  partition: number,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  note: (record: LogRecord) => void,
): Promise<void> {
  for (let offset = from; offset < to; ) {
    const records = await readAt(topic, partition, offset)
    for (const record of records) note(record)
    const last = records.at(-1)
    const next = last === undefined ? (await topic.bounds(partition)).first : last.offset + 1n
    if (next <= offset) return
    offset = next
  }
}

/** Damaged records count as empty: the owner of the partition reports the damage. */
async function readAt(topic: Topic, partition: number, offset: bigint): Promise<readonly LogRecord[]> {
  try {
    return await topic.read(partition, offset, READ_BYTES)
  } catch (error) {
    if (error instanceof LogError && UNREADABLE.includes(error.code)) return []
    throw error
  }
}

/** @returns undefined for a record of another kind, or one that this program cannot read */
function decodedAs<Value>(type: ExtendedType<Value>, value: Buffer): Value | undefined {
  try {
    return type.has(schemaIdOf(value)) ? type.decode(value) : undefined
  } catch (error) {
    if (error instanceof WireFormatError) return undefined
    throw error
  }
}

function partitionsOf({ partitions }: Topic): number[] {
  return Array.from({ length: partitions }, (_, partition) => partition)
}
