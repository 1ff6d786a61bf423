import type { LineBatchView } from '../../schemas/line-batch.ts'
import type { PipelineDocument } from '../../schemas/pipeline.ts'
import { Event } from '../event.ts'
import { NO_ROW } from '../graph/compiled-node.ts'
import type { GraphObserver } from '../graph/graph-observer.ts'
import { type NodeCounters, noCounts } from '../graph/node-counters.ts'
import { jsonText } from '../json-text.ts'
import type { LogRecord } from '../log/log.ts'
import type { PartitionFold } from './partition-fold.ts'
import type { RunWatch } from './run-watch.ts'

/** What two revisions of a pipeline did with the same lines. */
export interface PreviewResult {
  /** By node id; a node of one of the two is missing on the other side. */
  readonly deployed: ReadonlyMap<string, NodeCounters>
  readonly draft: ReadonlyMap<string, NodeCounters>
  /** Lines that left the pipeline by other destinations, or not as often. */
  readonly differing: number
  /** Some of them. */
  readonly samples: readonly PreviewSample[]
}

export interface PreviewSample {
  /** As it was sent; of what a window gave: that. */
  readonly event: Event
  readonly deployed: readonly LeftEvent[]
  readonly draft: readonly LeftEvent[]
}

/** What became of a line, and the destination that took it. */
export interface LeftEvent {
  /** Id of the destination. */
  readonly node: string
  readonly event: Event
}

/**
 * Runs the same records through what was deployed of a pipeline at their time, and through a draft in its place, and
 * compares. Both begin with the same memory.
 */
export class Preview {
  /** Lines that were handled. */
  lines = 0
  readonly #pipeline: string
  readonly #maxSamples: number
  readonly #sides: { readonly deployed: Side; readonly draft: Side }
  readonly #samples: PreviewSample[] = []
  #differing = 0

  /**
   * @param deployed fold of the account alone, at the point where the comparison begins
   * @param draft another one at the same point
   */
  constructor(
    deployed: PartitionFold,
    draft: PartitionFold,
    document: PipelineDocument,
    { maxSamples }: { readonly maxSamples: number },
  ) {
    this.#pipeline = document.id
    this.#maxSamples = maxSamples
    draft.tryPipeline(document)
    this.#sides = { deployed: new Side(deployed, document.id), draft: new Side(draft, document.id) }
  }

  apply(record: LogRecord): void {
    const { deployed, draft } = this.#sides
    deployed.apply(record)
    draft.apply(record)
    const lines = deployed.watch.lines
    this.lines += lines
    for (let line = 0; line < lines; line++)
      this.#compare(deployed.watch.leftOf(line), draft.watch.leftOf(line), () => deployed.watch.event(line))
    this.#compareWindows(deployed.watch.leftWindows, draft.watch.leftWindows)
  }

  #compare(deployed: readonly LeftEvent[], draft: readonly LeftEvent[], sent: () => Event | undefined): void {
    if (isSame(deployed, draft)) return
    this.#differing++
    const event = this.#samples.length < this.#maxSamples ? sent() : undefined
    if (event !== undefined) this.#samples.push({ event, deployed: [...deployed], draft: [...draft] })
  }

  /** What windows gave belongs to no line: one by one, as far as they go. */
  #compareWindows(deployed: readonly LeftEvent[], draft: readonly LeftEvent[]): void {
    for (let index = 0; index < Math.max(deployed.length, draft.length); index++) {
      const before = deployed.slice(index, index + 1)
      const after = draft.slice(index, index + 1)
      this.#compare(before, after, () => (before[0] ?? after[0])?.event)
    }
  }

  /** Log time, UNIX ms. */
  get timeMs(): number {
    return this.#sides.deployed.fold.timeMs
  }

  get result(): PreviewResult {
    const { deployed, draft } = this.#sides
    return {
      deployed: deployed.counters(this.#pipeline),
      draft: draft.counters(this.#pipeline),
      differing: this.#differing,
      samples: this.#samples,
    }
  }
}

/** One of the two that are compared. */
class Side {
  readonly fold: PartitionFold
  readonly watch: DestinationWatch
  readonly #before: ReadonlyMap<string, NodeCounters>

  constructor(fold: PartitionFold, pipeline: string) {
    this.fold = fold
    this.watch = new DestinationWatch(pipeline)
    fold.showPipelines(this.watch)
    this.#before = totalsOf(fold, pipeline)
  }

  apply(record: LogRecord): void {
    this.watch.begin()
    this.fold.apply(record, this.watch)
    this.fold.outbox.discard()
  }

  /** Since the comparison began; nodes that did nothing are left out. */
  counters(pipeline: string): Map<string, NodeCounters> {
    const counters = new Map<string, NodeCounters>()
    for (const [node, totals] of totalsOf(this.fold, pipeline)) {
      const before = this.#before.get(node) ?? noCounts()
      const since = noCounts()
      for (const name of Object.keys(since) as (keyof NodeCounters)[])
        since[name] = totals[name] - before[name]
      if (Object.values(since).some(count => count !== 0)) counters.set(node, since)
    }
    return counters
  }
}

const NONE: readonly LeftEvent[] = []

/** Notes by which destinations of a pipeline the lines of a record left. */
class DestinationWatch implements RunWatch, GraphObserver {
  readonly #pipeline: string
  readonly #sinks = new Set<string>()
  #batch: LineBatchView | undefined
  #indexes: readonly number[] = []
  /** By the number of the line among those that were handled. */
  readonly #left: LeftEvent[][] = []
  readonly leftWindows: LeftEvent[] = []

  constructor(pipeline: string) {
    this.#pipeline = pipeline
  }

  begin(): void {
    this.#indexes = []
    this.#left.length = 0
    this.leftWindows.length = 0
  }

  get lines(): number {
    return this.#indexes.length
  }

  leftOf(line: number): readonly LeftEvent[] {
    return this.#left[line] ?? NONE
  }

  event(line: number): Event | undefined {
    const index = this.#indexes[line]
    return this.#batch === undefined || index === undefined ? undefined : Event.ofLine(this.#batch, index)
  }

  handles(batch: LineBatchView, indexes: readonly number[]): void {
    this.#batch = batch
    this.#indexes = indexes
  }

  observerOf(_account: string, pipeline: string): GraphObserver | undefined {
    return pipeline === this.#pipeline ? this : undefined
  }

  takesEffect(
    _account: string,
    pipeline: string,
    { document }: { document: PipelineDocument | undefined },
  ): void {
    if (pipeline !== this.#pipeline) return
    this.#sinks.clear()
    for (const { kind, id } of document?.nodes ?? []) if (kind === 'sink') this.#sinks.add(id)
  }

  left(node: string, _output: string, event: Event, row: number): void {
    if (!this.#sinks.has(node)) return
    if (row === NO_ROW) this.leftWindows.push({ node, event })
    else if (this.#left[row] === undefined) this.#left[row] = [{ node, event }]
    else this.#left[row].push({ node, event })
  }

  dropped(): void {}

  failed(): void {}

  moved(): void {}

  gathered(): void {}

  reported(): void {}
}

function totalsOf(fold: PartitionFold, pipeline: string): Map<string, NodeCounters> {
  const totals = new Map<string, NodeCounters>()
  for (const { pipeline: its, node, activity } of fold.nodeTotals)
    if (its === pipeline) totals.set(node, { ...activity })
  return totals
}

/** Two graphs may come to the same destinations in another order. */
function isSame(one: readonly LeftEvent[], other: readonly LeftEvent[]): boolean {
  if (one.length !== other.length) return false
  if (isAsSent(one) && isAsSent(other) && one.every(({ node }, index) => node === other[index]?.node))
    return true
  const sorted = other.map(contentOf).sort()
  return one
    .map(contentOf)
    .sort()
    .every((content, index) => content === sorted[index])
}

/** Nearly always: then nothing needs to be looked into. */
function isAsSent(left: readonly LeftEvent[]): boolean {
  return left.every(({ event }) => event.untouched && !event.metadataChanged && !event.timestampChanged)
}

function contentOf({ node, event: { message, metadata, timestamp } }: LeftEvent): string {
  return `${node} ${jsonText([message, metadata, timestamp])}`
}
