import type { JsonObject } from '../../schemas/json.ts'
import { MAX_ROWS_PER_RECORD } from '../../schemas/log/position.ts'
import type { Event } from '../event/event.ts'
import { NO_NUMBER } from '../expressions/cost-meter.ts'
import type { ExpressionAllowance } from '../expressions/expression-budget.ts'
import type { SinkNode } from '../nodes/contract/define-destination.ts'
import type {
  EndedWindow,
  LeftOutByTime,
  Process,
  ProcessorState,
} from '../nodes/contract/define-processor.ts'
import type { Steps, Stretch } from '../steps.ts'
import type { ErrorDesk } from './error-desk.ts'
import type { GraphObserver, SentTo } from './graph-observer.ts'
import { type NodeCounters, noCounts } from './node-counters.ts'
import type { NodeError } from './node-error.ts'
import type { RecordYield } from './record-yield.ts'
import { mergeRuns, type Run, RunBuilder } from './run.ts'
import type { RunPlace } from './run-place.ts'

/** Row of an event that does not stem from an event of the present record. */
export const NO_ROW = NO_NUMBER

/** Surroundings of the graph while one record runs through it. */
export interface RunContext {
  /** Log time of the record. */
  readonly nowMs: number
  /**
   * Receives the events of one sink, in order, and reports those that it did not keep. The array is shared: it must not
   * be changed.
   */
  deliver(sink: SinkNode, events: readonly Event[], left: NotDelivered): Steps | undefined
  report(error: NodeError): void
  /** Receives a failed event; present if its pipeline keeps dead letters. */
  readonly takeDeadLetter?: ((error: NodeError) => void) | undefined
  /** Bound on the cost of the expressions of each event, by its row; absent: no bound. */
  readonly allowance?: ExpressionAllowance | undefined
  /**
   * Upper bound for the copies of one event that are stored or become dead letters, in all pipelines that receive it. Very many cost
   * units of the allowance: see `keptCopyUnits`. Absent: copies are free.
   */
  readonly copies?: number | undefined
  /**
   * Upper bound for the moves of one event and its copies to other partitions, in all pipelines that receive it. Very many cost units of
   * the allowance. Absent: moves are free, as before the twelfth behaviour.
   */
  readonly moves?: number | undefined
  /** Counts the parts that the nodes make of the present record. Absent: it is not bounded, as before the twelfth behaviour. */
  readonly made?: RecordYield | undefined
  /** Present if the work is done in stretches. */
  readonly stretch?: Stretch | undefined
  /** Ids of nodes at which the events of the record fail; see `QUARANTINED`. Absent: none. */
  readonly quarantinedNodes?: ReadonlySet<string> | undefined
  /** Present if other partitions may have memory of keys. */
  readonly elsewhere?: Elsewhere | undefined
  readonly observer?: GraphObserver | undefined
  /** Absent: no processor of the graph needs places of events. */
  readonly place?: RunPlace | undefined
}

/** Receives reports of events that their sink does not keep. */
export interface NotDelivered {
  failed(error: NodeError): void
  /** Reports an event that was left out on purpose. */
  dropped(event: Event, reason: JsonObject): void
}

/** Sends events to memory in other partitions. */
export interface Elsewhere {
  /** @param hash hash of the key @returns whether its memory is here */
  isHere(hash: number): boolean
  /** Sends an event to the memory of its key, which is not here. */
  send(node: string, hash: number, event: Event): SentTo
}

/** Events of one input, waiting for the turn of their node. */
export interface Inbox {
  run: Run | undefined
}

/** Node of a compiled graph. A node takes its turn after those that it reads. */
export interface CompiledNode {
  readonly id: string
  readonly counters: NodeCounters
  /** Inboxes of the node, one per input. */
  readonly inboxes: readonly Inbox[]
  step(context: RunContext): Steps
  /** Ends windows that are due at a time. Absent: the node has no windows. */
  release?(untilMs: number, context: RunContext): Steps
}

/** Output of a node, with all its readers. */
export class CompiledOutput {
  readonly readers: Inbox[] = []
  /** The part of the node's counts that is about this output; undefined: the node has no other. */
  readonly own: NodeCounters | undefined
  readonly #counters: NodeCounters

  /** @param counters counts of the node @param isNamed whether the node may have several outputs */
  constructor(counters: NodeCounters, { isNamed = false }: { readonly isNamed?: boolean } = {}) {
    this.#counters = counters
    this.own = isNamed ? noCounts() : undefined
  }

  /** Passes a run to every reader; without a reader the events count as dropped. */
  emit(run: Run): void {
    if (run.events.length === 0) return
    this.#count(this.#counters, run)
    if (this.own !== undefined) this.#count(this.own, run)
    for (const reader of this.readers) reader.run = run
  }

  #count(counters: NodeCounters, { events, bytes }: Run): void {
    const edges = this.readers.length
    if (edges === 0) {
      counters.dropped += events.length
      counters.droppedBytes += bytes
      return
    }
    counters.eventsOut += events.length * edges
    counters.bytesOut += bytes * edges
    counters.copied += events.length * (edges - 1)
  }
}

/**
 * Memory of a node, with the functions that use it. Revisions that share a memory share this object, so the options of
 * the newest judge all of their events.
 */
export interface HeldState {
  /** Canonical type of the processor. */
  readonly type: string
  readonly kind: ProcessorState<unknown, JsonObject>
  config: JsonObject
  value: unknown
  process: Process
  /** Hash that decides in which partition an event is judged; undefined: in the one where it is. */
  hash: ((event: Event, value: unknown) => number) | undefined
  /** Hash of a memory that is in one partition as a whole. */
  readonly seed: number
  desk: ErrorDesk
  explain: Explain | undefined
  windows: HeldWindows | undefined
}

/** Windows of a held state; see `ProcessorWindows`. */
export interface HeldWindows {
  deadlineMs(state: unknown): number
  release(state: unknown, untilMs: number, nowMs: number): Iterable<EndedWindow | LeftOutByTime>
  open(state: unknown): number
}

/** Prepared explanation of dropped events; see `Processor.explain`. */
export type Explain = (event: Event, state: unknown, nowMs: number) => JsonObject

/** Name of the output of nodes with a single one. */
export const DEFAULT_OUTPUT = ''

/** Takes the events of all inputs, merged into one run, and counts them. */
export function* takeRun(
  inboxes: readonly Inbox[],
  counters: NodeCounters,
  stretch: Stretch | undefined,
): Steps<Run | undefined> {
  let merged: Run | undefined
  for (const inbox of inboxes) {
    const { run } = inbox
    if (run === undefined) continue
    inbox.run = undefined
    counters.eventsIn += run.events.length
    counters.bytesIn += run.bytes
    merged = merged === undefined ? run : cutRun(yield* mergeRuns(merged, run, stretch), counters)
  }
  return merged
}

/** Fails events beyond the numbers of a record, before they fill the memory. Branches that join again multiply events. */
function cutRun(run: Run, counters: NodeCounters): Run {
  if (run.events.length <= MAX_ROWS_PER_RECORD) return run
  counters.failed += run.events.length - MAX_ROWS_PER_RECORD
  const cut = new RunBuilder()
  for (let index = 0; index < MAX_ROWS_PER_RECORD; index++) {
    const event = run.events[index] as Event
    cut.add(event, run.rows[index] as number, event.bytes)
  }
  return cut
}
