import { SECOND_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { type Rekeyed, rekeyedType } from '../../../schemas/log/rekeyed.ts'
import { schemaIdOf } from '../../../schemas/log/wire-format.ts'
import type { PipelineDocument } from '../../../schemas/pipeline.ts'
import type { Event } from '../../event/event.ts'
import type { PartitionFold } from '../../fold/partition-fold.ts'
import type { PartitionName } from '../../fold/run-watch.ts'
import type { Mail } from '../../fold/spread/fold-mail.ts'
import { lastPositionIn } from '../../fold/spread/rekeyed-part.ts'
import { sourceKey } from '../../fold/spread/spread-account.ts'
import type { NodeCounters } from '../../graph/node-counters.ts'
import type { LogRecord } from '../../log/log.ts'
import { finish, type Steps } from '../../steps.ts'
import { DraftMail, type SentBefore } from './draft-mail.ts'
import {
  type DestinationWatch,
  EventsUnderWay,
  type LeftEvent,
  type LineUnderWay,
  PreviewSide,
  type RevisionInForce,
} from './preview-side.ts'
import { contentOf, WindowsGiven } from './windows-given.ts'

/** Maximum number of events between partitions that a preview holds. */
const MAX_UNDER_WAY = 1_000_000
/** Maximum number of window results without a match on the other side. */
const MAX_UNMATCHED = 10_000

export interface PreviewOptions {
  readonly maxSamples: number
  readonly maxUnderWay?: number | undefined
  /** Events on their way at the starts of the partitions. */
  readonly sentBefore?: readonly SentBefore[] | undefined
}

/** Results of two revisions of a pipeline for the same lines. */
export interface PreviewResult {
  /** Counters by node id; a node of only one revision is missing on the other side. */
  readonly deployed: ReadonlyMap<string, NodeCounters>
  readonly draft: ReadonlyMap<string, NodeCounters>
  /** Lines that left the pipeline by other destinations, or in other numbers. */
  readonly differing: number
  /** Samples of the differing lines. */
  readonly samples: readonly PreviewSample[]
  /** Lines with events that were under way between partitions at the end: they are not compared. */
  readonly underWay: number
  /** Whether the draft has sent events between partitions whose arrival no record determines. */
  readonly isOrderAssumed: boolean
  /**
   * Revisions that the deployed side ran, oldest first, as they took effect in the first partition. Before the first of
   * them the pipeline handled nothing.
   */
  readonly inForce: readonly RevisionInForce[]
}

export interface PreviewSample {
  /** The event as sent; for a window, its result. */
  readonly event: Event
  readonly deployed: readonly LeftEvent[]
  readonly draft: readonly LeftEvent[]
}

/** Folds of the account alone, at the same point of a partition. */
export interface PreviewFolds {
  readonly deployed: PartitionFold
  readonly draft: PartitionFold
}

interface PreviewPartition {
  readonly name: PartitionName
  readonly deployed: PreviewSide
  readonly draft: PreviewSide
}

/** More events are between partitions at a time than a preview can hold. */
export class TooMuchUnderWayError extends Error {
  override readonly name = 'TooMuchUnderWayError'
}

/** The expressions of the draft cost too much; the message gives the reason. */
export class TooDearError extends Error {
  override readonly name = 'TooDearError'
}

/**
 * Runs the same records through the deployed revisions of a pipeline and through a draft in their place, and compares the
 * results. Both sides begin with the same state, and each record meets the revision that was deployed at its time.
 *
 * If an account is, or was, on several partitions, all of them take part, and so do those of the keyed topic. The
 * deployed side reads the log. Events that the draft sends to other partitions are not on the log; `DraftMail` provides
 * them.
 */
export class Preview {
  /** Number of handled lines. */
  lines = 0
  readonly #account: string
  readonly #maxSamples: number
  readonly #maxUnderWay: number
  readonly #partitions: ReadonlyMap<string, PreviewPartition>
  readonly #underWay = { deployed: new EventsUnderWay('deployed'), draft: new EventsUnderWay('draft') }
  /** Undefined: the account is on a single partition. */
  readonly #mail: DraftMail | undefined
  readonly #windows = new WindowsGiven()
  readonly #samples: PreviewSample[] = []
  #differing = 0
  #linesUnderWay = 0

  /** @param partitions one, or all of both topics. No event must have arrived in any of them that another has not sent */
  constructor(
    partitions: readonly PreviewFolds[],
    document: PipelineDocument,
    { maxSamples, maxUnderWay = MAX_UNDER_WAY, sentBefore }: PreviewOptions,
  ) {
    this.#account = document.accountId
    this.#maxSamples = maxSamples
    this.#maxUnderWay = maxUnderWay
    const { deployed: ofDeployed, draft: ofDraft } = this.#underWay
    const sides = partitions.map(({ deployed, draft }) => ({
      name: draft.name,
      deployed: new PreviewSide(deployed, document.id, ofDeployed),
      draft: new PreviewSide(draft, document.id, ofDraft),
    }))
    for (const { draft } of sides) draft.tryPipeline(document)
    this.#partitions = new Map(sides.map(partition => [sourceKey(partition.name), partition]))
    const starts = partitions.map(({ draft }) => [draft.name, draft.nextOffset] as const)
    this.#mail = partitions.length > 1 ? new DraftMail(document.accountId, starts, sentBefore) : undefined
  }

  /**
   * Applies the next record of a partition.
   *
   * @param from can be omitted with a single partition
   */
  apply(record: LogRecord, from?: PartitionName): void {
    finish(this.applying(record, from))
  }

  /** Like `apply`, in stretches. */
  *applying(record: LogRecord, from?: PartitionName): Steps {
    const partition = this.#partition(from)
    if (this.#mail === undefined) {
      yield* this.#applyBoth(partition, record, record)
      partition.deployed.fold.mail.discard()
      partition.draft.fold.mail.discard()
      this.#compareWindows()
    } else {
      this.#endWindowsBefore(Math.max(partition.deployed.fold.timeMs, record.appendTimeMs))
      const rekeyed = this.#rekeyedIn(record)
      const value = rekeyed === undefined ? record.value : this.#mail.arriving(rekeyed, partition.name)
      yield* this.#applyBoth(partition, record, { ...record, value })
      this.#deliver(partition, partition.deployed.fold.mail.takeMail())
      if (this.#windows.size > MAX_UNMATCHED) this.#compareWindows()
      const { deployed, draft } = this.#underWay
      if (deployed.size + draft.size + this.#mail.size > this.#maxUnderWay)
        throw new TooMuchUnderWayError('too many events are on their way between partitions')
    }
  }

  /** The record of another partition that must be applied before this one. */
  neededFor(record: LogRecord): { readonly source: PartitionName; readonly offset: bigint } | undefined {
    const rekeyed = this.#mail && this.#rekeyedIn(record)
    const last = rekeyed?.parts.at(-1)
    if (rekeyed === undefined || last === undefined) return undefined
    const source = { topic: rekeyed.sourceTopic, partition: rekeyed.sourcePartition }
    return { source, offset: lastPositionIn(last).offset }
  }

  #partition(name: PartitionName | undefined): PreviewPartition {
    const [only] = this.#partitions.values()
    return (name === undefined ? only : this.#partitions.get(sourceKey(name))) as PreviewPartition
  }

  #rekeyedIn({ value }: LogRecord): Rekeyed | undefined {
    if (!rekeyedType.has(schemaIdOf(value))) return undefined
    const rekeyed = rekeyedType.decode(value)
    return rekeyed.account === this.#account ? rekeyed : undefined
  }

  *#applyBoth({ deployed, draft }: PreviewPartition, record: LogRecord, ofDraft: LogRecord): Steps {
    yield* deployed.applying(record)
    yield* draft.applying(ofDraft)
    expectAffordable(draft)
    this.#compareLines(deployed.watch, draft.watch)
    this.#endLines(deployed.watch)
    this.#endLines(draft.watch)
    this.#windows.add(deployed.watch.leftWindows, draft.watch.leftWindows)
  }

  /** Gives a partition of the draft events that are not on the log. */
  #receive({ draft }: PreviewPartition, value: Buffer, timeMs: number): void {
    draft.receive(value, timeMs)
    expectAffordable(draft)
    this.#endLines(draft.watch)
    this.#windows.add([], draft.watch.leftWindows)
  }

  /**
   * Delivers the events that a record has produced for other partitions of the draft, and the events that result from
   * them.
   */
  #deliver({ name, draft }: PreviewPartition, deployed: readonly Mail[]): void {
    const { timeMs, mail } = draft.fold
    if (this.#mail === undefined) return
    const waiting = [...this.#mail.send(name, deployed, mail.takeMail())]
    for (let direct = waiting.shift(); direct !== undefined; direct = waiting.shift()) {
      const target = this.#partition(direct.target)
      this.#receive(target, direct.value, timeMs)
      const sent = target.draft.fold.mail.takeMail()
      waiting.push(...this.#mail.send(target.name, [], sent, direct.source))
    }
  }

  /** If only the draft holds windows that are due, the log has no record that ends them. */
  #endWindowsBefore(nowMs: number): void {
    for (const partition of this.#partitions.values()) {
      const { name, deployed, draft } = partition
      if (draft.fold.windowsEndMs > nowMs || deployed.fold.windowsEndMs <= nowMs) continue
      const source = { sourceTopic: name.topic, sourcePartition: name.partition }
      const nothing = { behaviour: SECOND_BEHAVIOUR, ...source, account: this.#account, parts: [] }
      this.#receive(partition, rekeyedType.encode(nothing), nowMs)
      this.#deliver(partition, [])
    }
  }

  #compareLines(deployed: DestinationWatch, draft: DestinationWatch): void {
    const { lines } = deployed
    this.lines += lines
    const followed = this.#follow(deployed, draft)
    for (let line = 0; line < lines; line++)
      if (!followed.has(line))
        this.#compare(deployed.leftOf(line), draft.leftOf(line), () => deployed.event(line))
  }

  /** Compares lines of a record with events that were sent on, on at least one side, once all events have arrived. */
  #follow(deployed: DestinationWatch, draft: DestinationWatch): ReadonlyMap<number, LineUnderWay> {
    const followed = new Map<number, LineUnderWay>()
    for (const watch of [deployed, draft]) {
      for (const { line, position } of watch.sentOn) {
        if (line >= deployed.lines) continue // it belongs to a dead letter that is replayed
        const known = followed.get(line)
        const underWay = known ?? {
          sent: this.#samples.length < this.#maxSamples ? deployed.event(line) : undefined,
          deployed: [...deployed.leftOf(line)],
          draft: [...draft.leftOf(line)],
          awaited: 0,
        }
        if (known === undefined) followed.set(line, underWay)
        watch.follow(position, underWay)
      }
    }
    this.#linesUnderWay += followed.size
    return followed
  }

  #endLines({ ended }: DestinationWatch): void {
    this.#linesUnderWay -= ended.length
    for (const { deployed, draft, sent } of ended) this.#compare(deployed, draft, () => sent)
  }

  #compare(deployed: readonly LeftEvent[], draft: readonly LeftEvent[], sent: () => Event | undefined): void {
    if (isSame(deployed, draft)) return
    this.#differing++
    const event = this.#samples.length < this.#maxSamples ? sent() : undefined
    if (event !== undefined) this.#samples.push({ event, deployed: [...deployed], draft: [...draft] })
  }

  /** Compares results of windows one by one, because they do not belong to a line. */
  #compareWindows(): void {
    for (const { deployed, draft } of this.#windows.takeDiffering())
      this.#compare(listOf(deployed), listOf(draft), () => (deployed ?? draft)?.event)
  }

  /** Result over all applied records. */
  get result(): PreviewResult {
    this.#compareWindows()
    const partitions = [...this.#partitions.values()]
    return {
      deployed: countersOf(partitions.map(({ deployed }) => deployed)),
      draft: countersOf(partitions.map(({ draft }) => draft)),
      differing: this.#differing,
      samples: this.#samples,
      underWay: this.#linesUnderWay,
      isOrderAssumed: this.#mail?.isAssumed ?? false,
      inForce: partitions[0]?.deployed.watch.inForce ?? [],
    }
  }
}

/** @throws TooDearError */
function expectAffordable({ watch }: PreviewSide): void {
  if (watch.tooDear !== undefined) throw new TooDearError(watch.tooDear)
}

/** Nodes that did nothing are left out. */
function countersOf(sides: readonly PreviewSide[]): Map<string, NodeCounters> {
  const sums = new Map<string, NodeCounters>()
  for (const side of sides) side.addCounters(sums)
  for (const [node, counters] of sums)
    if (Object.values(counters).every(count => count === 0)) sums.delete(node)
  return sums
}

function listOf(left: LeftEvent | undefined): readonly LeftEvent[] {
  return left === undefined ? [] : [left]
}

/** Two graphs may reach the same destinations in another order. */
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

/** This is nearly always true: then no further comparison is needed. */
function isAsSent(left: readonly LeftEvent[]): boolean {
  return left.every(({ event }) => event.untouched && !event.metadataChanged && !event.timestampChanged)
}
