import { isRefused } from '../../schemas/log/loss.ts'
import { isBeyond, type Position } from '../../schemas/log/position.ts'
import { rekeyedType } from '../../schemas/log/rekeyed.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import type { PartitionName } from '../fold/run-watch.ts'
import { lastPositionIn } from '../fold/spread/rekeyed-part.ts'
import type { SentTo } from '../graph/graph-observer.ts'
import { LogError, type LogRecord } from '../log/log.ts'
import type { PartitionedTopics } from '../log/partitioned-topics.ts'
import { READ_BYTES } from '../log/records-between.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import type { Arrival } from './arrival-explanation.ts'
import type { ExplainedStep } from './event-paths.ts'
import { NoReplayError, PartitionReplay, type ReplayedPartition } from './replay.ts'

/** Assumed maximum difference between the clocks of brokers. A larger one only costs time. */
const CLOCKS_DIFFER_MS = 1_000

/** Topics between which events move. */
export interface ReplayedTopics extends Pick<PartitionedTopics, 'ingest' | 'checkpoints' | 'keyed'> {
  readonly catalogue: Catalogue
}

/** An event that a record has sent to another partition. */
export interface MovedEvent {
  readonly source: PartitionName
  /** The log's clock when the record was appended, UNIX ms. */
  readonly appendTimeMs: number
  readonly sentTo: SentTo
}

/** `under way`: it has not arrived yet. `not kept`: it has arrived, in a part of the log that was removed. */
export type Whereabouts = Arrival | 'under way' | 'not kept'

/** A step on the whole way of a line. */
export interface WayStep {
  readonly step: ExplainedStep
  /** Partition in which the step took place. */
  readonly at: PartitionName
  /** Arrival of the event there; undefined: it entered there. */
  readonly arrival: Arrival | undefined
  /** Present place of an event that the step moved. */
  readonly whereabouts: Whereabouts | undefined
}

/**
 * Follows events of an account to the partitions that they were sent to, and onward, using only the kept log.
 *
 * Events from one partition arrive at another in the order of their positions, apart from repeats. Each checkpoint
 * contains the last position that has arrived. A replay that begins before an event has arrived therefore meets it,
 * unless the log ends first. Times of records only suggest a start; a wrong time makes the search slower.
 */
export class MovedEvents {
  readonly #topics: ReplayedTopics
  readonly #account: string
  readonly #rest: () => Promise<void>
  /** Places by source and position. */
  readonly #whereabouts = new Map<string, Whereabouts>()
  /** Replays by partition. Later requests are often about later arrivals. */
  readonly #replays = new Map<string, PartitionReplay>()

  /** @param rest called repeatedly, so that other work of this process gets its turn */
  constructor(topics: ReplayedTopics, account: string, rest: () => Promise<void>) {
    this.#topics = topics
    this.#account = account
    this.#rest = rest
  }

  /** Place of an event that was followed. */
  whereaboutsOf(source: PartitionName, { position }: SentTo): Whereabouts | undefined {
    return this.#whereabouts.get(eventKey(source, position))
  }

  /** Adds an arrival that is already known. */
  learn(arrival: Arrival): void {
    this.#whereabouts.set(eventKey(arrival.source, arrival.position), arrival)
  }

  /**
   * Steps in a partition. Each move is followed by the later steps in other partitions; all events have been followed.
   */
  *way(steps: readonly ExplainedStep[], at: PartitionName, arrival?: Arrival): Iterable<WayStep> {
    for (const step of steps) {
      const { sentTo } = step
      const whereabouts = sentTo && this.whereaboutsOf(at, sentTo)
      yield { step, at, arrival, whereabouts }
      if (sentTo !== undefined && typeof whereabouts === 'object')
        yield* this.way(whereabouts.steps, sentTo, whereabouts)
    }
  }

  /** Finds the results of events, and of the events that followed from them, as far as the log goes. */
  async follow(events: readonly MovedEvent[]): Promise<void> {
    let waiting = events
    while (waiting.length > 0) {
      const unknown = waiting.filter(({ source, sentTo }) => this.whereaboutsOf(source, sentTo) === undefined)
      const byTarget = Map.groupBy(unknown, ({ sentTo }) => nameOf(sentTo))
      for (const group of byTarget.values()) await this.#followTo(group)
      waiting = waiting.flatMap(({ source, sentTo }) => {
        const found = this.whereaboutsOf(source, sentTo)
        return typeof found === 'object' ? movedBy(found.steps, sentTo, found.appendTimeMs) : []
      })
    }
  }

  /** @param events to one partition */
  async #followTo(events: readonly MovedEvent[]): Promise<void> {
    const wanted = new Map(events.map(event => [eventKey(event.source, event.sentTo.position), event]))
    const settle = (key: string, whereabouts: Whereabouts) => {
      this.#whereabouts.set(key, whereabouts)
      wanted.delete(key)
    }
    try {
      const { replay, until } = await this.#replayBefore(events)
      for (const [key, event] of wanted) if (!this.#isAhead(replay, event)) settle(key, 'not kept')
      const isAsked = (source: PartitionName, position: Position) => wanted.has(eventKey(source, position))
      if (wanted.size > 0) {
        for await (const arrivals of replay.arrivals(until, this.#rest, isAsked)) {
          for (const arrival of arrivals) settle(eventKey(arrival.source, arrival.position), arrival)
          if (wanted.size === 0) break
        }
      }
      for (const key of wanted.keys()) settle(key, 'under way')
    } catch (error) {
      const isGone = error instanceof LogError && error.code === 'LOG_OFFSET_OUT_OF_RANGE'
      if (!isGone && !(error instanceof NoReplayError)) throw error
      for (const key of wanted.keys()) settle(key, 'not kept')
    }
  }

  /**
   * @param events to one partition
   * @returns a replay that begins before their arrival, or the oldest possible one, and the offset up to which it runs
   */
  async #replayBefore(
    events: readonly MovedEvent[],
  ): Promise<{ readonly replay: PartitionReplay; readonly until: bigint }> {
    const { sentTo } = events[0] as MovedEvent
    const target = partitionNamed(this.#topics, sentTo)
    const bySource = Map.groupBy(events, ({ source }) => nameOf(source))
    const groups = [...bySource.values()].map(group => group.toSorted(byPosition))
    const isBefore = (replay: PartitionReplay) =>
      groups.every(([first]) => this.#isAhead(replay, first as MovedEvent))
    const { next } = await target.topic.bounds(target.partition)
    const open = this.#replays.get(nameOf(sentTo))
    if (open !== undefined && isBefore(open)) return { replay: open, until: next }
    let from = next
    let until = 0n
    for (const group of groups) {
      const stretch = await this.#likelyStretch(target, group)
      if (stretch.from < from) from = stretch.from
      if (stretch.until > until) until = stretch.until
    }
    for (;;) {
      const replay = await this.#replayReaching(target, from)
      const isOldest = replay.nextOffset > from
      if (isBefore(replay) || isOldest) {
        this.#replays.set(nameOf(sentTo), replay)
        return { replay, until }
      }
      from = replay.nextOffset - 1n
    }
  }

  /** A replay that begins shortly before an offset, or at the first possible place of the kept log after it. */
  async #replayReaching(target: ReplayedPartition, offset: bigint): Promise<PartitionReplay> {
    const scope = { account: this.#account }
    try {
      return await PartitionReplay.reaching(target, offset, scope)
    } catch (error) {
      if (error instanceof NoReplayError) return PartitionReplay.fromOldest(target, scope)
      throw error
    }
  }

  /** Whether an event has not arrived yet at the position of a replay. */
  #isAhead({ fold }: PartitionReplay, { source, sentTo }: MovedEvent): boolean {
    const passed = fold.passed(this.#account, source)
    return passed === undefined || isBeyond(sentTo.position, passed)
  }

  /**
   * Probable range of offsets for the arrival of events from one source, by the clocks.
   *
   * @param events in the order of their positions
   * @returns a range that excludes its last record
   */
  async #likelyStretch(
    target: ReplayedPartition,
    events: readonly MovedEvent[],
  ): Promise<{ readonly from: bigint; readonly until: bigint }> {
    const { source, sentTo, appendTimeMs } = events[0] as MovedEvent
    const { sentTo: last } = events.at(-1) as MovedEvent
    const { topic, partition } = target
    const { next } = await topic.bounds(partition)
    const likely = (await topic.offsetAtTime(partition, appendTimeMs - CLOCKS_DIFFER_MS)) ?? next
    const from = await this.#firstBringing(target, source, sentTo.position, likely)
    // No later record brings them: they arrived earlier, or have not arrived yet.
    if (from === undefined) return { from: likely, until: likely }
    const end = await this.#firstBringing(target, source, last.position, from)
    return { from, until: end === undefined ? next : end + 1n }
  }

  /** The first record from an offset on that brings an event of a source up to a position, or a later one. */
  async #firstBringing(
    { topic, partition }: ReplayedPartition,
    source: PartitionName,
    position: Position,
    from: bigint,
  ): Promise<bigint | undefined> {
    for (let next = from; ; ) {
      const records = await topic.read(partition, next, READ_BYTES)
      if (records.length === 0) return undefined
      for (const record of records) {
        const last = this.#lastPosition(record, source)
        if (last !== undefined && !isBeyond(position, last)) return record.offset
        next = record.offset + 1n
      }
      await this.#rest()
    }
  }

  #lastPosition(record: LogRecord, source: PartitionName): Position | undefined {
    if (isRefused(record) || !rekeyedType.has(schemaIdOf(record.value))) return undefined
    const { account, sourceTopic, sourcePartition, parts } = rekeyedType.decode(record.value)
    const isMeant = sourceTopic === source.topic && sourcePartition === source.partition
    const last = parts.at(-1)
    return isMeant && account === this.#account && last !== undefined ? lastPositionIn(last) : undefined
  }
}

/** The events that steps in a partition sent to others. @param appendTimeMs of the record that brought them */
export function movedBy(
  steps: readonly ExplainedStep[],
  { topic, partition }: PartitionName,
  appendTimeMs: number,
): MovedEvent[] {
  return steps.flatMap(({ sentTo }) =>
    sentTo === undefined ? [] : [{ source: { topic, partition }, appendTimeMs, sentTo }],
  )
}

export function partitionNamed(
  { catalogue, ingest, checkpoints, keyed }: ReplayedTopics,
  { topic, partition }: PartitionName,
): ReplayedPartition {
  return topic === INGEST_TOPIC
    ? { catalogue, topic: ingest, checkpoints, partition }
    : { catalogue, ...keyed, partition }
}

function byPosition(one: MovedEvent, other: MovedEvent): number {
  return isBeyond(one.sentTo.position, other.sentTo.position) ? 1 : -1
}

function nameOf({ topic, partition }: PartitionName): string {
  return `${topic} ${partition}`
}

function eventKey(source: PartitionName, { offset, row }: Position): string {
  return `${nameOf(source)} ${offset} ${row}`
}
