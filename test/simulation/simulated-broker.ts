import { crc32 } from 'node:zlib'
import type { Clock } from '../../engine/clock/clock.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import {
  type Appended,
  type Log,
  LogError,
  type LogRecord,
  type LogSpace,
  type NewRecord,
  type Topic,
} from '../../engine/log/log.ts'
import { type MemoryStorage, memoryLog } from '../../engine/log/memory-log.ts'
import { controlType } from '../../schemas/log/control.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import type { Dice } from '../support/dice.ts'
import { Actor, type Scheduler } from './scheduler.ts'

export interface BrokerOptions {
  readonly scheduler: Scheduler
  readonly dice: Dice
  readonly clock: Clock
  readonly entropy: Entropy
  readonly maxBytes: number
  readonly storage: MemoryStorage
}

/**
 * The memory log, shared by the processes of a world like a broker, over links that fail. An append may be refused, be
 * durable although its caller gets an error, or arrive long after its caller stopped waiting.
 */
export class SimulatedBroker {
  /** Share of the appends that do not simply succeed. */
  faultShare = 0
  /** Whether the disk refuses records of ingestion, or all records. */
  diskFull: 'no' | 'for ingestion' | 'for all' = 'no'
  readonly #scheduler: Scheduler
  readonly #dice: Dice
  readonly #log: Log
  readonly #actor = new Actor('broker')
  readonly #archive = new Map<string, LogRecord[][]>()
  /** Records that cannot be read any more, as "topic/partition offset". */
  readonly #unreadable = new Set<string>()
  readonly #ends = new Map<string, bigint>()
  /** Lines of a partition that are in flight until they are released. */
  #inFlight: HeldLines | undefined

  constructor({ scheduler, dice, clock, entropy, maxBytes, storage }: BrokerOptions) {
    this.#scheduler = scheduler
    this.#dice = dice
    this.#log = memoryLog({ clock, entropy, maxBytes, storage })
  }

  /** Every record that was ever appended, in offset order, including those that are not kept any longer. */
  archive(topic: string, partition: number): readonly LogRecord[] {
    return this.#archive.get(topic)?.[partition] ?? []
  }

  /** Lowest offset above everything that a partition ever had, as a data folder keeps beside its log. */
  endOf(topic: string, partition: number): bigint {
    return this.#ends.get(`${topic}/${partition}`) ?? 0n
  }

  /**
   * Removes the end of a partition, as an incomplete copy does.
   *
   * @param forgetsEnd whether the known end is lost with it
   * @returns the lost records
   */
  loseTail(
    topic: string,
    partition: number,
    { from, kept, forgetsEnd }: { from: bigint; kept: LogRecord[]; forgetsEnd: boolean },
  ): readonly LogRecord[] {
    const archived = this.#archive.get(topic)?.[partition] ?? []
    if (forgetsEnd) this.#ends.set(`${topic}/${partition}`, from)
    kept.splice(kept.findIndex(({ offset }) => offset >= from))
    return archived.splice(Number(from))
  }

  /** From now on lines for a partition stay between their senders and the disk, and nobody is answered. */
  holdLines(topic: string, partition: number): void {
    this.#inFlight = { topic, partition, appends: [] }
  }

  /** The first of the held lines arrive, and the others never. @returns how many arrived */
  async releaseLines(most: number): Promise<number> {
    const arriving = this.#inFlight?.appends.slice(0, most) ?? []
    this.#inFlight = undefined
    for (const { topic, partition, record } of arriving)
      await this.#land(topic, partition, record).catch(() => undefined)
    return arriving.length
  }

  /** A record is damaged on the disk: reading it fails from now on. */
  damage(topic: string, partition: number, offset: bigint): void {
    this.#unreadable.add(`${topic}/${partition} ${offset}`)
  }

  /** The log as one process sees it. */
  logOf(actor: Actor): Log {
    return {
      topic: async (name, partitions) => this.#topicOf(actor, await this.#log.topic(name, partitions)),
      space: () => this.#space(),
      reserve: bytes => this.#log.reserve(bytes),
      close: async () => undefined,
    }
  }

  #space(): LogSpace {
    const space = this.#log.space()
    return { ...space, takesIngest: space.takesIngest && this.diskFull === 'no' }
  }

  #topicOf(actor: Actor, topic: Topic): Topic {
    const after = async <T>(label: string, action: () => Promise<T>): Promise<T> => {
      await this.#scheduler.step(actor, label)
      return action()
    }
    const calls = new CallOrder()
    return {
      name: topic.name,
      logId: topic.logId,
      partitions: topic.partitions,
      append: (partition, record) => this.#append(actor, topic, partition, record, calls),
      read: (partition, from, maxBytes) => after('read', () => this.#read(topic, partition, from, maxBytes)),
      bounds: partition => after('bounds', () => topic.bounds(partition)),
      waitBeyond: async (partition, offset, signal) => {
        await topic.waitBeyond(partition, offset, signal)
        await this.#scheduler.step(actor, 'woken')
      },
      trim: (partition, before) => after('trim', () => topic.trim(partition, before)),
      offsetAtTime: (partition, timeMs) => after('find', () => topic.offsetAtTime(partition, timeMs)),
    }
  }

  /** Records before a damaged one are still returned. */
  async #read(
    topic: Topic,
    partition: number,
    from: bigint,
    maxBytes: number,
  ): Promise<readonly LogRecord[]> {
    const records = await topic.read(partition, from, maxBytes)
    if (this.#unreadable.size === 0) return records
    const isDamaged = ({ offset }: LogRecord) => this.#unreadable.has(`${topic.name}/${partition} ${offset}`)
    const at = records.findIndex(isDamaged)
    if (at === 0) throw new LogError('LOG_CORRUPT', `record ${from} of ${topic.name} is damaged`)
    return at < 0 ? records : records.slice(0, at)
  }

  async #append(
    actor: Actor,
    topic: Topic,
    partition: number,
    record: NewRecord,
    calls: CallOrder,
  ): Promise<Appended> {
    const done = await calls.take(partition)
    await this.#scheduler.step(actor, labelOf(topic, record))
    const sent = sentNow(record)
    const held = this.#heldWith(topic, partition, record)
    if (held !== undefined) {
      held.push({ topic, partition, record: { ...sent, value: Buffer.from(sent.value) } })
      done()
      return new Promise(() => undefined)
    }
    try {
      if (!this.#dice.chance(this.faultShare)) {
        const appended = await this.#land(topic, partition, sent)
        await this.#scheduler.step(actor, 'appended')
        return appended
      }
      await this.#fail(topic, partition, sent)
    } finally {
      done()
    }
    await this.#scheduler.step(actor, 'append failed')
    throw new LogError('LOG_UNAVAILABLE', 'the link to the log is broken', { retriable: true })
  }

  #heldWith({ name }: Topic, partition: number, { priority }: NewRecord): HeldAppend[] | undefined {
    const held = this.#inFlight
    const isHeld = held?.topic === name && held.partition === partition && priority === 'ingest'
    return isHeld ? held.appends : undefined
  }

  /** Fate of an append whose caller gets an error. */
  async #fail(topic: Topic, partition: number, record: NewRecord): Promise<void> {
    const roll = this.#dice.below(3)
    if (roll === 0) await this.#land(topic, partition, record)
    else if (roll === 1)
      void this.#landLate(topic, partition, { ...record, value: Buffer.from(record.value) })
  }

  async #landLate(topic: Topic, partition: number, record: NewRecord): Promise<void> {
    if (this.#dice.chance(0.5)) await this.#scheduler.sleep(this.#actor, this.#dice.below(30_000))
    await this.#scheduler.step(this.#actor, 'late append')
    await this.#land(topic, partition, record).catch(() => undefined)
  }

  async #land(topic: Topic, partition: number, record: NewRecord): Promise<Appended> {
    const refused = this.diskFull === 'for all' || (this.diskFull !== 'no' && record.priority === 'ingest')
    if (refused) throw new LogError('LOG_FULL', 'the disk is full', { retriable: true })
    const appended = await topic.append(partition, record)
    const partitions = this.#archive.get(topic.name) ?? Array.from({ length: topic.partitions }, () => [])
    this.#archive.set(topic.name, partitions)
    const name = `${topic.name}/${partition}`
    const end = appended.offset + 1n
    if (end > (this.#ends.get(name) ?? 0n)) this.#ends.set(name, end)
    const knownEnd = record.knownEnd?.()
    partitions[partition]?.push({
      ...appended,
      value: Buffer.from(record.value),
      producer: record.producer,
      ...(knownEnd && { knownEnd }),
    })
    this.#scheduler.note(`${topic.name}/${partition} ${appended.offset} ${crc32(record.value)}`)
    return appended
  }
}

interface HeldAppend {
  readonly topic: Topic
  readonly partition: number
  readonly record: NewRecord
}

interface HeldLines {
  readonly topic: string
  readonly partition: number
  readonly appends: HeldAppend[]
}

/** A record on its way: what its writer learns from now on is not in it. */
function sentNow(record: NewRecord): NewRecord {
  const knownEnd = record.knownEnd?.() ?? 0n
  return { ...record, knownEnd: () => knownEnd }
}

/** Kind of the appended value, so that a process can be paused right before it. */
function labelOf(topic: Topic, { priority, value }: NewRecord): string {
  if (topic.name !== INGEST_TOPIC || priority === 'ingest') return `append to ${topic.name}`
  return `append ${Object.keys(controlType.decode(value).body)[0]}`
}

/** Appends of one caller to one partition take effect in the order of the calls. */
class CallOrder {
  readonly #last = new Map<number, Promise<void>>()

  /** Resolves when it is the caller's turn. The result ends the turn. */
  async take(partition: number): Promise<() => void> {
    const before = this.#last.get(partition)
    let done = () => {}
    this.#last.set(
      partition,
      new Promise(resolve => {
        done = resolve
      }),
    )
    await before
    return done
  }
}
