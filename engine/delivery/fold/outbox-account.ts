import type { OutboxAccountState } from '../../../schemas/log/lanes-checkpoint.ts'
import { PassedPositions } from '../../fold/spread/passed-positions.ts'
import { DAY_MS } from '../../times/duration.ts'
import type { BatchRulesSource } from './batch-rules.ts'
import { HandedEvents, type HandedPart, lastPosition } from './handed-events.ts'
import { Lane } from './lane.ts'
import type { CursorStart } from './lane-cursor.ts'
import { passedOf, passedState } from './passed-state.ts'

/** Log time after its newest event for which a lane without waiting events is kept. (Our choice.) */
const LANE_KEPT_MS = 7 * DAY_MS
/** Log time for which a deletion is remembered: no partition is that far behind another. (Our choice.) */
const DELETION_KEPT_MS = 30 * DAY_MS

/** Present place of the fold: the record that it applies, and the log time before it. */
export interface FoldPlace {
  readonly offset: bigint
  /** Log time before the record, at which a new lane begins. */
  readonly beforeMs: number
  readonly timeMs: number
}

/** The lanes of one account in an outbox partition. */
export class OutboxAccount {
  readonly account: string
  readonly #rules: BatchRulesSource
  readonly #passed: PassedPositions
  /** Log time of the deletion of each deleted pipeline. */
  readonly #deleted: Map<string, number>
  readonly #lanes = new Map<string, Lane>()

  constructor(
    account: string,
    rules: BatchRulesSource,
    passed = new PassedPositions(),
    deleted = new Map<string, number>(),
  ) {
    this.account = account
    this.#rules = rules
    this.#passed = passed
    this.#deleted = deleted
  }

  static restored(rules: BatchRulesSource, state: OutboxAccountState): OutboxAccount {
    const deleted = new Map(state.deleted.map(({ pipeline, deletedMs }) => [pipeline, deletedMs]))
    const account = new OutboxAccount(state.account, rules, passedOf(state.passed), deleted)
    for (const lane of state.lanes) account.#lanes.set(keyOf(lane), Lane.restored(state.account, rules, lane))
    return account
  }

  get lanes(): Iterable<Lane> {
    return this.#lanes.values()
  }

  lane(pipeline: string, node: string): Lane | undefined {
    return this.#lanes.get(keyOf({ pipeline, node }))
  }

  /**
   * Takes the parts of a record. Parts and events that were passed before are repeats.
   *
   * @param source key of the partition that handed them over
   * @returns the lanes that received events
   */
  take(source: string, parts: readonly HandedPart[], place: FoldPlace): Set<Lane> {
    const received = new Set<Lane>()
    const start = {
      nextOffset: place.offset,
      timeMs: place.beforeMs,
      passed: new PassedPositions(this.#passed),
    }
    for (const part of parts) {
      if (part instanceof HandedEvents) {
        const events = this.#newEvents(source, part)
        if (events > 0) received.add(this.#handOver(part, events, start, place.timeMs))
      } else if (this.#passed.advance(source, lastPosition(part))) {
        this.#delete(part.pipeline, place.timeMs)
      }
    }
    return received
  }

  /** Moves lanes without waiting events to a place beyond everything that was applied. */
  skipIdleTo(nextOffset: bigint, timeMs: number): void {
    for (const { waiting, cursor } of this.#lanes.values())
      if (waiting === 0) cursor?.skipTo({ nextOffset, timeMs, passed: this.#passed })
  }

  /** Forgets lanes and deletions that nothing needs any more. */
  forget(timeMs: number): void {
    for (const [key, { waiting, usedMs }] of this.#lanes)
      if (waiting === 0 && timeMs - usedMs >= LANE_KEPT_MS) this.#lanes.delete(key)
    for (const [pipeline, deletedMs] of this.#deleted)
      if (timeMs - deletedMs >= DELETION_KEPT_MS) this.#deleted.delete(pipeline)
  }

  snapshot(): OutboxAccountState {
    return {
      account: this.account,
      passed: passedState(this.#passed),
      deleted: [...this.#deleted].map(([pipeline, deletedMs]) => ({ pipeline, deletedMs })),
      lanes: [...this.#lanes.values()].map(lane => lane.snapshot()),
    }
  }

  #newEvents(source: string, { positions }: HandedEvents): number {
    let events = 0
    for (const position of positions) if (this.#passed.advance(source, position)) events++
    return events
  }

  #handOver(part: HandedEvents, events: number, start: CursorStart, timeMs: number): Lane {
    const lane = this.#lanes.get(keyOf(part)) ?? this.#begin(part, start)
    // Its cursor may have stood still, because there was nothing to read for it.
    if (lane.waiting === 0) lane.cursor?.skipTo(start)
    lane.handOver(events, timeMs)
    return lane
  }

  #begin({ pipeline, node }: HandedEvents, start: CursorStart): Lane {
    const name = { account: this.account, pipeline, node }
    const lane = this.#deleted.has(pipeline)
      ? new Lane(name, Number(start.nextOffset), undefined)
      : Lane.begun(name, this.#rules, start)
    this.#lanes.set(keyOf(name), lane)
    return lane
  }

  #delete(pipeline: string, timeMs: number): void {
    this.#deleted.set(pipeline, timeMs)
    for (const lane of this.#lanes.values()) if (lane.pipeline === pipeline) lane.drop()
  }
}

function keyOf({ pipeline, node }: { readonly pipeline: string; readonly node: string }): string {
  return `${pipeline} ${node}`
}
