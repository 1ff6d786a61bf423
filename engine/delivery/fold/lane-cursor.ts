import type { BatchRun, LaneBatch, LaneCursorState } from '../../../schemas/log/lanes-checkpoint.ts'
import { PassedPositions } from '../../fold/spread/passed-positions.ts'
import type { BatchRulesSource } from './batch-rules.ts'
import { HandedEvents, lastPosition } from './handed-events.ts'
import { OpenLaneBatch } from './open-lane-batch.ts'
import type { OutboxRecord } from './outbox-record.ts'
import { passedOf, passedState } from './passed-state.ts'

/** Maximum number of open batches of a lane; beyond it the oldest is closed. (Our choice: a split by a value of many events.) */
export const MAX_OPEN_BATCHES = 100
/** Maximum number of runs of rows in the open batches of a lane, for the same reason: they are memory. */
export const MAX_OPEN_RUNS = 65_536
/**
 * Number of closed batches without a report at which a cursor stands still. A remote takes several batches in the time in which a
 * report is made durable. (Our choice.)
 */
export const MAX_CLOSED_BATCHES = 16
/** Number of runs of rows in them at which it stands still, too: they are memory. */
const MAX_CLOSED_RUNS = 4_096

/** The lane that a cursor belongs to. */
export interface LaneName {
  readonly account: string
  readonly pipeline: string
  readonly node: string
}

/** Start of a cursor: a place on the log, and the positions that were passed before it. */
export interface CursorStart {
  readonly nextOffset: bigint
  readonly timeMs: number
  readonly passed: PassedPositions
}

/**
 * Makes the batches of one lane. It reads the records of the partition in order, and stops in front of the next record while many closed
 * batches have no report. Batches depend only on the records that it has read, so it may be far behind the end of the log.
 */
export class LaneCursor {
  readonly #lane: LaneName
  readonly #rules: BatchRulesSource
  /** Positions of the account, also those of its other lanes: the fold counts new events in the same way. */
  #passed: PassedPositions
  /** Open batches by version and split, in the order in which they were opened. */
  readonly #open = new Map<string, OpenLaneBatch>()
  #closed: LaneBatch[] = []
  #closedBatches = 0
  #closedRuns = 0
  #openRuns = 0
  #nextOffset: bigint
  #timeMs: number

  constructor(lane: LaneName, rules: BatchRulesSource, { nextOffset, timeMs, passed }: CursorStart) {
    this.#lane = lane
    this.#rules = rules
    this.#nextOffset = nextOffset
    this.#timeMs = timeMs
    this.#passed = new PassedPositions(passed)
  }

  static restored(lane: LaneName, rules: BatchRulesSource, state: LaneCursorState): LaneCursor {
    const start = {
      nextOffset: BigInt(state.nextOffset),
      timeMs: state.timeMs,
      passed: passedOf(state.passed),
    }
    const cursor = new LaneCursor(lane, rules, start)
    cursor.#closedBatches = state.closedBatches
    cursor.#closed = [...state.closed]
    for (const { stretches } of state.closed) cursor.#closedRuns += stretches.length
    for (const batch of state.open) {
      const open = OpenLaneBatch.restored(batch, rules.rulesOf(batch.type, batch.options))
      cursor.#open.set(keyOf(batch.version, batch.split), open)
      cursor.#openRuns += open.runs
    }
    return cursor
  }

  /** First offset that it has not read. */
  get nextOffset(): bigint {
    return this.#nextOffset
  }

  /** Closed batches without a report, oldest first. */
  get batches(): readonly LaneBatch[] {
    return this.#closed
  }

  /** The oldest of them. */
  get batch(): LaneBatch | undefined {
    return this.#closed[0]
  }

  /** Whether it stands still until a closed batch has a report. */
  get isBlocked(): boolean {
    return this.#closed.length >= MAX_CLOSED_BATCHES || this.#closedRuns >= MAX_CLOSED_RUNS
  }

  /** Number of batches that it has closed so far. */
  get closedBatches(): number {
    return this.#closedBatches
  }

  /** Number of events in open batches, and in closed ones without a report. */
  get heldEvents(): number {
    let events = 0
    for (const batch of this.#open.values()) events += batch.events
    for (const batch of this.#closed) events += batch.events
    return events
  }

  get hasOpen(): boolean {
    return this.#open.size > 0
  }

  /** Log time at which the next open batch is closed; Infinity: none is open. */
  get deadlineMs(): number {
    let earliestMs = Number.POSITIVE_INFINITY
    for (const { deadlineMs } of this.#open.values()) earliestMs = Math.min(earliestMs, deadlineMs)
    return earliestMs
  }

  /** Log time at which its oldest batch was begun; without one, the time up to which it has read. */
  get oldestMs(): number {
    const [closed] = this.#closed
    if (closed !== undefined) return closed.openedMs
    let oldestMs = this.#timeMs
    for (const { head } of this.#open.values()) oldestMs = Math.min(oldestMs, head.openedMs)
    return oldestMs
  }

  /** First record that it still needs. */
  get neededFrom(): bigint {
    let first = this.#nextOffset
    const need = (offset: number) => {
      if (BigInt(offset) < first) first = BigInt(offset)
    }
    for (const { firstOffset } of this.#open.values()) need(firstOffset)
    for (const { stretches } of this.#closed) need((stretches[0] as BatchRun).offset)
    return first
  }

  /** Reads the next record. A batch whose time has come is closed before the record's events are taken. */
  apply({ offset, timeMs, content }: OutboxRecord): void {
    this.#timeMs = Math.max(this.#timeMs, timeMs)
    for (const [key, batch] of this.#open) if (batch.deadlineMs <= this.#timeMs) this.#close(key, batch)
    if (content.kind === 'handed' && content.account === this.#lane.account) {
      for (const part of content.parts)
        if (part instanceof HandedEvents && this.#isOwn(part)) this.#add(offset, content.source, part)
        else this.#passed.advance(content.source, lastPosition(part))
    }
    this.#nextOffset = offset + 1n
  }

  /** Goes to a later place. There are no events of the lane before it, and no batch is open. */
  skipTo({ nextOffset, timeMs, passed }: CursorStart): void {
    this.#nextOffset = nextOffset
    this.#timeMs = timeMs
    this.#passed = new PassedPositions(passed)
  }

  /** Takes the oldest closed batch, which has a report. */
  takeBatch(): LaneBatch {
    const batch = this.#closed.shift() as LaneBatch
    this.#closedRuns -= batch.stretches.length
    return batch
  }

  snapshot(): LaneCursorState {
    return {
      nextOffset: Number(this.#nextOffset),
      timeMs: this.#timeMs,
      closedBatches: this.#closedBatches,
      passed: passedState(this.#passed),
      open: [...this.#open.values()].map(batch => batch.toBatch(0, 0)),
      closed: this.#closed,
    }
  }

  #isOwn({ pipeline, node }: HandedEvents): boolean {
    return pipeline === this.#lane.pipeline && node === this.#lane.node
  }

  #add(offset: bigint, source: string, part: HandedEvents): void {
    const rules = this.#rules.rulesOf(part.type, part.options)
    for (const [index, position] of part.positions.entries()) {
      if (!this.#passed.advance(source, position)) continue
      const event = part.events[index] as HandedEvents['events'][number]
      const split = rules.splitOf(event)
      const bytes = rules.bytesOf(event)
      const key = keyOf(part.version, split)
      const batch = this.#batchFor(key, bytes) ?? this.#begin(key, part, split)
      if (batch.add(Number(offset), part.firstRow + index, bytes)) this.#openRuns++
      if (batch.isFull) this.#close(key, batch)
      else if (this.#openRuns > MAX_OPEN_RUNS) this.#closeOldest()
    }
  }

  /** The open batch that takes an event of that size. One without room is closed. */
  #batchFor(key: string, bytes: number): OpenLaneBatch | undefined {
    const batch = this.#open.get(key)
    if (batch === undefined || batch.takes(bytes)) return batch
    this.#close(key, batch)
    return undefined
  }

  #begin(key: string, { version, type, options }: HandedEvents, split: string): OpenLaneBatch {
    // Otherwise later events of the new revision could be sent before earlier ones.
    for (const [other, batch] of this.#open) if (batch.head.version !== version) this.#close(other, batch)
    if (this.#open.size === MAX_OPEN_BATCHES) this.#closeOldest()
    const head = { version, type, options, split, openedMs: this.#timeMs }
    const batch = new OpenLaneBatch(head, this.#rules.rulesOf(type, options))
    this.#open.set(key, batch)
    return batch
  }

  #closeOldest(): void {
    const [oldest] = this.#open
    if (oldest !== undefined) this.#close(...oldest)
  }

  #close(key: string, batch: OpenLaneBatch): void {
    this.#open.delete(key)
    this.#openRuns -= batch.runs
    this.#closedRuns += batch.runs
    this.#closed.push(batch.toBatch(++this.#closedBatches, this.#timeMs))
  }
}

function keyOf(version: number, split: string): string {
  return `${version} ${split}`
}
