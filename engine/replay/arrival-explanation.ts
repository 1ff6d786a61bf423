import type { Position } from '../../schemas/log/position.ts'
import { rekeyedType } from '../../schemas/log/rekeyed.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import type { Event } from '../event/event.ts'
import type { NodeName } from '../fold/node-activity.ts'
import type { PartitionFold } from '../fold/partition-fold.ts'
import type { Exclusion } from '../fold/rules/account-rules.ts'
import type { ArrivedEvents, PartitionName, RunningRevision, RunWatch } from '../fold/run-watch.ts'
import type { GraphObserver } from '../graph/graph-observer.ts'
import type { LogRecord } from '../log/log.ts'
import type { Steps } from '../steps.ts'
import { EventPaths, type ExplainedStep } from './event-paths.ts'
import type { ExcludedAt, HandedAs, StoredAs } from './line-explanation.ts'

/** An event from another partition, and its results where it arrived. */
export interface Arrival {
  readonly source: PartitionName
  /** Position on the source's log. */
  readonly position: Position
  /** Offset of the record with which it arrived. */
  readonly offset: bigint
  /** The log's clock when that record was appended, UNIX ms. */
  readonly appendTimeMs: number
  /** Log time, UNIX ms. */
  readonly timeMs: number
  readonly event: Event
  readonly pipeline: string
  /** Node at which it waited. */
  readonly node: string
  /** Undefined: its node was removed, so the event ended there. */
  readonly revision: RunningRevision | undefined
  readonly steps: readonly ExplainedStep[]
  readonly stored: readonly StoredAs[]
  /** Results of windows in which it was the last event. */
  readonly gathered: readonly StoredAs[]
  /** Its events that were handed over to the outbox. Results of windows are left out. */
  readonly handed: readonly HandedAs[]
  readonly excluded: readonly ExcludedAt[]
}

/** Whether an arriving event must be explained. */
export type IsAskedArrival = (source: PartitionName, position: Position) => boolean

/**
 * Folds the next record and explains events that it brings from another partition.
 *
 * @param fold a fold of one account only
 */
export function* explainArrivals(
  fold: PartitionFold,
  record: LogRecord,
  isAsked: IsAskedArrival,
): Steps<Arrival[]> {
  if (!rekeyedType.has(schemaIdOf(record.value))) {
    yield* fold.applying(record)
    return []
  }
  const watch = new ArrivalWatch(isAsked)
  yield* fold.applying(record, watch)
  const { offset, appendTimeMs } = record
  return watch.arrivals.map(arrival => ({ ...arrival, offset, appendTimeMs, timeMs: fold.timeMs }))
}

type WatchedArrival = Omit<Arrival, 'offset' | 'appendTimeMs' | 'timeMs'>

/** Records the results of the events that one record brings. */
class ArrivalWatch implements RunWatch {
  readonly arrivals: WatchedArrival[] = []
  readonly #isAsked: IsAskedArrival
  /** Arrived events that are processed now: one group after the other. */
  #arrived: ArrivedEvents | undefined
  #paths: EventPaths | undefined
  #asked: ReadonlySet<number> = new Set()
  /** Results by line: each travelling event has its own line. */
  #stored = new Map<number, StoredAs[]>()
  #gathered = new Map<number, StoredAs[]>()
  #handed = new Map<number, HandedAs[]>()
  #excluded = new Map<number, ExcludedAt[]>()

  constructor(isAsked: IsAskedArrival) {
    this.#isAsked = isAsked
  }

  takesEffect(): void {}

  resumes(arrived: ArrivedEvents): void {
    const { source, positions } = arrived
    this.#arrived = arrived
    this.#asked = new Set(positions.keys().filter(row => this.#isAsked(source, positions[row] as Position)))
    this.#paths = new EventPaths(row => this.#asked.has(row))
    this.#stored = new Map()
    this.#gathered = new Map()
    this.#handed = new Map()
    this.#excluded = new Map()
  }

  observerOf(): GraphObserver | undefined {
    return this.#arrived === undefined || this.#asked.size === 0 ? undefined : this.#paths
  }

  stored(event: Event, { pipeline, node }: NodeName, row: number): void {
    const stored = this.#isOfArrived(event) ? this.#stored : this.#gathered
    this.#note(stored, event, { pipeline, node, row })
  }

  handedOver(event: Event, { pipeline, node }: NodeName, position: Position): void {
    if (this.#isOfArrived(event)) this.#note(this.#handed, event, { pipeline, node, position, event })
  }

  excluded(event: Event, { pipeline, node }: NodeName, { reason }: Exclusion): void {
    this.#note(this.#excluded, event, { pipeline, node, reason })
  }

  resumed(revision: RunningRevision | undefined): void {
    if (this.#arrived === undefined) return
    const { source, place, events, positions } = this.#arrived
    this.#arrived = undefined
    const { pipeline, node } = place
    for (const row of this.#asked) {
      const event = events[row] as Event
      this.arrivals.push({
        source,
        position: positions[row] as Position,
        event,
        pipeline,
        node,
        revision,
        steps: revision === undefined ? [goneStep(node, event)] : (this.#paths?.steps(row) ?? []),
        stored: this.#stored.get(lineOf(event)) ?? [],
        gathered: this.#gathered.get(lineOf(event)) ?? [],
        handed: this.#handed.get(lineOf(event)) ?? [],
        excluded: this.#excluded.get(lineOf(event)) ?? [],
      })
    }
  }

  #isOfArrived({ origin }: Event): boolean {
    return origin?.batch === this.#arrived?.events[0]?.origin?.batch
  }

  /** Notes a result of an arrived event, or of the window that it ended. Other events released at that time are ignored. */
  #note<Noted>(notes: Map<number, Noted[]>, event: Event, noted: Noted): void {
    const own = this.#isOfArrived(event) ? event : this.#lastIn(event)
    if (this.#arrived === undefined || own === undefined) return
    const line = lineOf(own)
    notes.set(line, [...(notes.get(line) ?? []), noted])
  }

  /** The event that was the last in the window that released an event. */
  #lastIn(event: Event): Event | undefined {
    const row = this.#paths?.lastRowIn(event)
    return row === undefined ? undefined : this.#arrived?.events[row]
  }
}

/** Step of an event whose node was removed, which is counted as dropped under that node. */
function goneStep(node: string, event: Event): ExplainedStep {
  const reason = { rule: 'the node is no longer in the pipeline' }
  return { node, outcome: 'dropped', outputs: [], event, reason, sentTo: undefined, errors: [] }
}

/** Every event of a pipeline comes from a line. */
function lineOf({ origin }: Event): number {
  return origin?.index ?? -1
}
