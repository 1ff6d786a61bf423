import type { Position } from '../../../schemas/log/position.ts'
import type { PipelineDocument } from '../../../schemas/pipeline.ts'
import { Event } from '../../event/event.ts'
import type { PartitionFold } from '../../fold/partition-fold.ts'
import type { ArrivedEvents, PartitionName, PipelineInEffect, RunWatch } from '../../fold/run-watch.ts'
import { sourceKey } from '../../fold/spread/spread-account.ts'
import { NO_ROW } from '../../graph/compiled-node.ts'
import type { GraphObserver, SentTo } from '../../graph/graph-observer.ts'
import { type NodeCounters, noCounts } from '../../graph/node-counters.ts'
import type { NodeError } from '../../graph/node-error.ts'
import type { LineBatchView } from '../../lines/columns/line-batch-view.ts'
import type { LogRecord } from '../../log/log.ts'
import type { Steps } from '../../steps.ts'

/** Result of a line, and the destination that received it. */
export interface LeftEvent {
  /** Id of the destination. */
  readonly node: string
  readonly event: Event
}

/** A line with events that were sent to another partition, on either side. */
export interface LineUnderWay {
  readonly sent: Event | undefined
  readonly deployed: LeftEvent[]
  readonly draft: LeftEvent[]
  /** Number of events that have not arrived yet, on both sides. */
  awaited: number
}

/** A revision that handled the lines of a pipeline from a time on. */
export interface RevisionInForce {
  /** UNIX ms of log time. */
  readonly fromMs: number
  /** Undefined: nothing of the pipeline was deployed. */
  readonly revision: number | undefined
  readonly isPaused: boolean
}

interface SentOn {
  /** Number among the handled lines. */
  readonly line: number
  readonly position: Position
}

/** Origin of a sent event: a line, or a window. */
type Sender = LineUnderWay | 'window'

/** Events that one side has sent to other partitions and that have not arrived, by source and position. */
export class EventsUnderWay {
  readonly side: 'deployed' | 'draft'
  readonly #senders = new Map<string, Sender>()

  constructor(side: 'deployed' | 'draft') {
    this.side = side
  }

  get size(): number {
    return this.#senders.size
  }

  send(source: PartitionName, position: Position, sender: Sender): void {
    this.#senders.set(eventKey(source, position), sender)
    if (sender !== 'window') sender.awaited++
  }

  /** @returns undefined: the event was sent before the comparison began, or does not belong to a compared pipeline */
  arrive(source: PartitionName, position: Position): Sender | undefined {
    const key = eventKey(source, position)
    const sender = this.#senders.get(key)
    this.#senders.delete(key)
    return sender
  }
}

/** One of the two compared sides, in one partition. */
export class PreviewSide {
  readonly fold: PartitionFold
  readonly watch: DestinationWatch
  readonly #pipeline: string
  readonly #before: ReadonlyMap<string, NodeCounters>

  constructor(fold: PartitionFold, pipeline: string, underWay: EventsUnderWay) {
    this.fold = fold
    this.watch = new DestinationWatch(fold.name, pipeline, underWay)
    this.#pipeline = pipeline
    fold.beginPreview()
    fold.showPipelines(this.watch)
    this.#before = totalsOf(fold, pipeline)
  }

  tryPipeline(document: PipelineDocument): void {
    this.fold.tryPipeline(document)
    this.fold.showPipelines(this.watch)
  }

  *applying(record: LogRecord): Steps {
    this.watch.begin()
    yield* this.fold.applying(record, this.watch)
  }

  receive(value: Buffer, timeMs: number): void {
    this.watch.begin()
    this.fold.receive(value, timeMs, this.watch)
  }

  /** Adds the counts of each node since the comparison began. */
  addCounters(sums: Map<string, NodeCounters>): void {
    for (const [node, totals] of totalsOf(this.fold, this.#pipeline)) {
      const before = this.#before.get(node) ?? noCounts()
      const sum = sums.get(node) ?? noCounts()
      for (const name of Object.keys(sum) as (keyof NodeCounters)[]) sum[name] += totals[name] - before[name]
      sums.set(node, sum)
    }
  }
}

const NONE: readonly LeftEvent[] = []

/** Records the destinations by which lines of a record left, and the events sent to other partitions. */
export class DestinationWatch implements RunWatch, GraphObserver {
  /** Lines whose last events under way have arrived with this record. */
  readonly ended: LineUnderWay[] = []
  readonly leftWindows: LeftEvent[] = []
  /** Revisions in force since the observation began, oldest first; empty before the first deployment. */
  readonly inForce: RevisionInForce[] = []
  /** Message when the pipeline's expressions cost too much; undefined otherwise. */
  tooDear: string | undefined
  readonly #name: PartitionName
  readonly #pipeline: string
  readonly #underWay: EventsUnderWay
  readonly #sinks = new Set<string>()
  #batch: LineBatchView | undefined
  #indexes: readonly number[] = []
  /** Results by the number of the line among the handled ones. */
  readonly #left: LeftEvent[][] = []
  readonly #sentOn: SentOn[] = []
  /** Origins of arrived events that are processed now. */
  #arrived: (Sender | undefined)[] | undefined

  constructor(name: PartitionName, pipeline: string, underWay: EventsUnderWay) {
    this.#name = name
    this.#pipeline = pipeline
    this.#underWay = underWay
  }

  begin(): void {
    this.#indexes = []
    this.#left.length = 0
    this.#sentOn.length = 0
    this.ended.length = 0
    this.leftWindows.length = 0
  }

  get lines(): number {
    return this.#indexes.length
  }

  leftOf(line: number): readonly LeftEvent[] {
    return this.#left[line] ?? NONE
  }

  /** Events of the handled lines that were sent to other partitions. */
  get sentOn(): readonly SentOn[] {
    return this.#sentOn
  }

  /** Follows the events that were sent for a line. */
  follow(position: Position, line: LineUnderWay): void {
    this.#underWay.send(this.#name, position, line)
  }

  event(line: number): Event | undefined {
    const index = this.#indexes[line]
    return this.#batch === undefined || index === undefined ? undefined : Event.ofLine(this.#batch, index)
  }

  handles(batch: LineBatchView, indexes: readonly number[]): void {
    this.#batch = batch
    this.#indexes = indexes
  }

  resumes({ source, place, positions }: ArrivedEvents): void {
    if (place.pipeline !== this.#pipeline) return
    this.#arrived = positions.map(position => this.#underWay.arrive(source, position))
  }

  resumed(): void {
    for (const sender of this.#arrived ?? [])
      if (typeof sender === 'object' && --sender.awaited === 0) this.ended.push(sender)
    this.#arrived = undefined
  }

  observerOf(_account: string, pipeline: string): GraphObserver | undefined {
    return pipeline === this.#pipeline ? this : undefined
  }

  takesEffect(_account: string, pipeline: string, { document, isPaused, atMs }: PipelineInEffect): void {
    if (pipeline !== this.#pipeline) return
    const revision = document?.revision
    const last = this.inForce.at(-1)
    if (last?.revision !== revision || last?.isPaused !== isPaused)
      this.inForce.push({ fromMs: atMs, revision, isPaused })
    // Nodes of earlier revisions stay, because their events may be under way.
    for (const { kind, id } of document?.nodes ?? []) if (kind === 'sink') this.#sinks.add(id)
  }

  left(node: string, _output: string, event: Event, row: number): void {
    if (!this.#sinks.has(node)) return
    const sender = this.#senderOf(row)
    if (sender === 'window') this.leftWindows.push({ node, event })
    else if (sender !== undefined) sender[this.#underWay.side].push({ node, event })
    else if (this.#arrived !== undefined) return
    else if (this.#left[row] === undefined) this.#left[row] = [{ node, event }]
    else this.#left[row].push({ node, event })
  }

  moved(_node: string, _event: Event, row: number, { position }: SentTo): void {
    const sender = this.#senderOf(row)
    if (sender !== undefined) this.#underWay.send(this.#name, position, sender)
    else if (this.#arrived === undefined) this.#sentOn.push({ line: row, position })
  }

  dropped(): void {}

  failed(): void {}

  gathered(): void {}

  reported({ code, message }: NodeError): void {
    if (code === 'E_EXPRESSION_COST') this.tooDear ??= message
  }

  /** Origin of an event from another partition or of a window; undefined: a line of the record. */
  #senderOf(row: number): Sender | undefined {
    return row === NO_ROW ? 'window' : this.#arrived?.[row]
  }
}

function totalsOf(fold: PartitionFold, pipeline: string): Map<string, NodeCounters> {
  const totals = new Map<string, NodeCounters>()
  for (const { pipeline: its, node, activity } of fold.nodeTotals)
    if (its === pipeline) totals.set(node, { ...activity })
  return totals
}

function eventKey(source: PartitionName, { offset, row }: Position): string {
  return `${sourceKey(source)} ${offset} ${row}`
}
