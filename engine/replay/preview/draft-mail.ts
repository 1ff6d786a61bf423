import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { isBeyond, type Position } from '../../../schemas/log/position.ts'
import { type Rekeyed, type RekeyedPart, rekeyedType } from '../../../schemas/log/rekeyed.ts'
import { INGEST_TOPIC } from '../../../schemas/log/topics.ts'
import type { PartitionName } from '../../fold/run-watch.ts'
import type { Mail, SentPart } from '../../fold/spread/fold-mail.ts'
import {
  type EventRun,
  encodedRun,
  isSamePlace,
  lastPositionIn,
  partBelow,
} from '../../fold/spread/rekeyed-part.ts'
import { sourceKey } from '../../fold/spread/spread-account.ts'
import { nameOfTarget } from '../../fold/spread/target.ts'

/** Events that a draft sent to a partition while it handled one record, or between two records. */
interface Consignment {
  /**
   * Last position that was actually sent there for the record; undefined: none, so the events arrive with the previous
   * ones.
   */
  readonly last: Position | undefined
  readonly parts: SentPart[]
}

/** Events that arrive at a time without a record of their partition. */
export interface DirectMail {
  readonly source: PartitionName
  readonly target: PartitionName
  readonly value: Buffer
}

/** Events that were actually sent to a partition before the draft begins, and that arrive later. */
export interface SentBefore {
  readonly source: PartitionName
  readonly target: PartitionName
  readonly last: Position
}

/** Events were under way for so long at the start of the draft that the draft has overtaken them. */
export class OvertakenError extends Error {
  override readonly name = 'OvertakenError'
}

/**
 * Events that the folds of a draft send to each other. They are on no log, so their order follows the events that were
 * really sent. The draft's events for a record arrive together with those of the deployed revision. If the deployed
 * revision sent nothing, they arrive at once. The order between two partitions is always kept.
 */
export class DraftMail {
  readonly #account: string
  /** Starts by source. */
  readonly #starts: ReadonlyMap<string, bigint>
  /** Queues by source and target, oldest first. */
  readonly #queues = new Map<string, Consignment[]>()
  /** Pairs of source and target between which events have arrived at once. */
  readonly #direct = new Set<string>()
  #waiting = 0
  #isAssumed = false

  /**
   * @param starts first record that the draft handles, for each partition
   * @param sentBefore later events wait for these on the same way
   */
  constructor(
    account: string,
    starts: readonly (readonly [PartitionName, bigint])[],
    sentBefore: readonly SentBefore[] = [],
  ) {
    this.#account = account
    this.#starts = new Map(starts.map(([name, offset]) => [sourceKey(name), offset]))
    for (const { source, target, last } of sentBefore) this.#queue(source, target).push({ last, parts: [] })
  }

  /** Whether the draft has sent events whose arrival no record determines. */
  get isAssumed(): boolean {
    return this.#isAssumed
  }

  /** Events that have not arrived yet. */
  get size(): number {
    return this.#waiting
  }

  /**
   * Adds the events that a partition sent while it handled a record.
   *
   * @param deployed events that the deployed revision sent then
   * @param from position of the record at which the events were sent
   * @returns events that arrive at once
   * @throws OvertakenError
   */
  *send(
    source: PartitionName,
    deployed: readonly Mail[],
    draft: readonly Mail[],
    from?: PartitionName,
  ): Iterable<DirectMail> {
    for (const { target: sentTo, parts } of draft) {
      const target = nameOfTarget(sentTo)
      const queue = this.#queue(source, target)
      const isMeant = (mail: Mail) =>
        mail.target.topic === sentTo.topic && mail.target.partition === sentTo.partition
      const real = deployed.find(isMeant)?.parts
      const events = eventsIn(parts)
      // Memory moves with shares, and these move at cuts, on both sides.
      if (events > 0 && events !== eventsIn(real ?? [])) this.#isAssumed = true
      if (real === undefined && queue.length === 0) {
        // A keyed partition and the home partition can both lack the memory of the key.
        if (source.topic === INGEST_TOPIC && from !== undefined && sourceKey(from) === sourceKey(target))
          throw new OvertakenError('memory of keys was on its way when the draft begins')
        this.#direct.add(wayKey(source, target))
        yield { source, target, value: this.#value(source, this.#encoded(parts)) }
        continue
      }
      queue.push({ last: real && lastOf(real), parts })
      this.#waiting += events
    }
  }

  /** Events that the draft's partition receives with a record that another partition sent. @throws OvertakenError */
  arriving({ parts, ...rekeyed }: Rekeyed, target: PartitionName): Buffer {
    const source = { topic: rekeyed.sourceTopic, partition: rekeyed.sourcePartition }
    const start = this.#starts.get(sourceKey(source)) ?? 0n
    const queue = this.#queue(source, target)
    const sentBefore = parts.flatMap(part => partBelow(part, start, this.#account) ?? [])
    if (sentBefore.length > 0 && this.#direct.has(wayKey(source, target)))
      throw new OvertakenError('events were on their way when the draft begins')
    // Events are handled part by part, because nodes receive the events of a part together.
    const own = parts.flatMap(part => {
      const taken = takeUntil(queue, lastPositionIn(part))
      this.#waiting -= eventsIn(taken)
      return this.#encoded(taken)
    })
    return this.#value(source, [...sentBefore, ...own])
  }

  #queue(source: PartitionName, target: PartitionName): Consignment[] {
    const key = wayKey(source, target)
    const queue = this.#queues.get(key) ?? []
    this.#queues.set(key, queue)
    return queue
  }

  #encoded(parts: readonly SentPart[]): RekeyedPart[] {
    return parts.map(part =>
      'events' in part ? { 'weir.RekeyedEvents': encodedRun(part, this.#account) } : part.part,
    )
  }

  #value({ topic, partition }: PartitionName, parts: readonly RekeyedPart[]): Buffer {
    const source = { sourceTopic: topic, sourcePartition: partition }
    return rekeyedType.encode({
      // No other program reads this value.
      behaviour: BEHAVIOUR,
      ...source,
      account: this.#account,
      parts,
    })
  }
}

function wayKey(source: PartitionName, target: PartitionName): string {
  return `${sourceKey(source)} ${sourceKey(target)}`
}

/** Takes the events that arrive with really sent ones, up to their position. */
function takeUntil(queue: Consignment[], position: Position): SentPart[] {
  const taken: SentPart[] = []
  for (let first = queue[0]; first !== undefined; first = queue[0]) {
    const { last, parts } = first
    if (last !== undefined && last.offset > position.offset) return taken
    if (last !== undefined && isBeyond(last, position)) {
      const cut = cutAfter(parts, position)
      for (const part of cut.before) add(taken, part)
      queue[0] = { last, parts: cut.after }
      return taken
    }
    for (const part of parts) add(taken, part)
    queue.shift()
  }
  return taken
}

function cutAfter(parts: readonly SentPart[], position: Position) {
  const cut: { readonly before: SentPart[]; readonly after: SentPart[] } = { before: [], after: [] }
  for (const part of parts) {
    if (!('events' in part)) {
      const side = isBeyond(lastPositionIn(part.part), position) ? cut.after : cut.before
      side.push(part)
      continue
    }
    const beyond = part.positions.findIndex(each => isBeyond(each, position))
    const count = beyond < 0 ? part.positions.length : beyond
    if (count > 0) cut.before.push(slice(part, 0, count))
    if (beyond >= 0) cut.after.push(slice(part, count))
  }
  return cut
}

/** Events that wait together become one run, as in the mail of a fold. */
function add(parts: SentPart[], part: SentPart): void {
  const last = parts.at(-1)
  if (last === undefined || !('events' in last) || !('events' in part) || !isSamePlace(last, part)) {
    parts.push('events' in part ? slice(part, 0) : part)
    return
  }
  for (const event of part.events) last.events.push(event)
  for (const position of part.positions) last.positions.push(position)
}

function slice({ place, entrance, events, positions }: EventRun, first: number, end?: number): EventRun {
  return { place, entrance, events: events.slice(first, end), positions: positions.slice(first, end) }
}

function lastOf(parts: readonly SentPart[]): Position {
  const last = parts.at(-1) as SentPart
  return 'events' in last ? (last.positions.at(-1) as Position) : lastPositionIn(last.part)
}

function eventsIn(parts: readonly SentPart[]): number {
  return parts.reduce((sum, part) => sum + ('events' in part ? part.events.length : 0), 0)
}
