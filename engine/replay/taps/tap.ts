import type { Clock } from '../../clock/clock.ts'
import type { Predicate } from '../../conditions/condition.ts'
import type { Event } from '../../event/event.ts'
import { BEYOND_BUDGET, type EventMeter, NO_NUMBER } from '../../expressions/cost-meter.ts'
import { SECOND_MS } from '../../times/duration.ts'

/** Maximum number of events shown per second: components, section 8.3. */
const SHOWN_PER_SECOND = 100
/** Limit on shown bytes, as counted on edges; a single event is always shown. */
const SHOWN_BYTES_PER_SECOND = 1024 * 1024
/** Maximum time that events wait, so that they hold records only for moments. */
const TURN_MS = 50
/** Events that the filter judges in one turn, so that a tap takes little of the process: 2,000 a second. */
const LOOKED_AT_PER_TURN = 100
/** Cost of the filter after which a turn ends: a few milliseconds. */
const UNITS_PER_TURN = 200_000
const MAX_WAITING = 1_000

/** Reason why a tap has ended. */
export type TapEnd = 'limit' | 'time' | 'withdrawn' | 'rights' | 'closed' | 'slow' | 'stopped' | 'failed'

/** A revision that has taken effect where the tap is, or that is in effect when it begins. */
export interface TapMark {
  readonly type: 'revision'
  /** Null: no revision is deployed. */
  readonly revision: number | null
  /** Number of the deployment. */
  readonly deployment: number
  readonly isPaused: boolean
  /** Whether the revision contains the watched node and output. */
  readonly isPresent: boolean
  readonly atMs: number
}

export interface TappedEvent {
  readonly type: 'event'
  /** Name of the output by which it left, '' for the default one. */
  readonly output: string
  readonly event: Event
}

export interface TapSkips {
  readonly type: 'skipped'
  /** Number of events since the previous message of this kind. */
  readonly count: number
  /** Number of these events that the filter was not applied to. */
  readonly notFiltered: number
}

export interface TapEnding {
  readonly type: 'end'
  readonly reason: TapEnd
  /** Number of all shown events, and of all skipped ones. */
  readonly shown: number
  readonly skipped: number
}

export type TapMessage = TappedEvent | TapMark | TapSkips | TapEnding

export interface TapBounds {
  readonly filter: Predicate
  /** Counts the cost of the filter; absent: free. */
  readonly meter?: EventMeter | undefined
  /** Number of events after which it ends. */
  readonly limit: number
  readonly lastsMs: number
}

/**
 * One view of a stream of events. It accepts events at once and processes a bounded number of them per turn; surplus
 * events are skipped and counted. Components, section 8.3.
 */
export class Tap {
  readonly #clock: Clock
  readonly #bounds: TapBounds
  readonly #receive: (message: TapMessage) => void
  readonly #ended = new AbortController()
  #waiting: (TappedEvent | TapMark)[] = []
  #isTurnDue = false
  #secondFromMs = Number.NEGATIVE_INFINITY
  #shownInSecond = 0
  #bytesInSecond = 0
  #shown = 0
  #skipped = 0
  #toTell = { count: 0, notFiltered: 0 }

  /** @param receive gets all messages in order; `end` is the last */
  constructor(clock: Clock, bounds: TapBounds, receive: (message: TapMessage) => void) {
    this.#clock = clock
    this.#bounds = bounds
    this.#receive = receive
    const { signal } = this.#ended
    void clock.sleep(bounds.lastsMs, signal).then(() => this.end('time'))
  }

  /** Aborted when the tap has ended. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  offer(output: string, event: Event): void {
    if (this.#waiting.length >= MAX_WAITING) this.#skip(false)
    else this.#waiting.push({ type: 'event', output, event })
    this.#planTurn()
  }

  mark(mark: TapMark): void {
    this.#waiting.push(mark)
    this.#planTurn()
  }

  /** Ends the tap and reports the reason, once. */
  end(reason: TapEnd): void {
    if (this.#ended.signal.aborted) return
    this.#ended.abort()
    for (const { type } of this.#waiting.splice(0)) if (type === 'event') this.#skip(false)
    this.#receive({ type: 'end', reason, shown: this.#shown, skipped: this.#skipped })
  }

  #planTurn(): void {
    if (this.#isTurnDue) return
    this.#isTurnDue = true
    const { signal } = this.#ended
    const turn = () => {
      this.#isTurnDue = false
      if (!signal.aborted) this.#turn()
    }
    // A failure of a tap must not affect other work.
    void this.#clock
      .sleep(TURN_MS, signal)
      .then(turn)
      .catch(() => this.end('failed'))
  }

  #turn(): void {
    this.#beginSecond()
    let units = 0
    for (let looked = 0; looked < LOOKED_AT_PER_TURN && units < UNITS_PER_TURN; looked++) {
      const waiting = this.#waiting.shift()
      if (waiting === undefined) break
      if (waiting.type === 'event') units += this.#look(waiting)
      else this.#show(waiting)
      if (this.#ended.signal.aborted) return
    }
    if (this.#waiting.length > 0 || this.#toTell.count > 0) this.#planTurn()
  }

  #beginSecond(): void {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#secondFromMs < SECOND_MS) return
    this.#secondFromMs = nowMs
    this.#shownInSecond = 0
    this.#bytesInSecond = 0
    if (this.#toTell.count === 0) return
    this.#receive({ type: 'skipped', ...this.#toTell })
    this.#toTell = { count: 0, notFiltered: 0 }
  }

  /** @returns cost of the filter */
  #look(tapped: TappedEvent): number {
    const { filter, meter } = this.#bounds
    meter?.begin(NO_NUMBER)
    try {
      if (filter(tapped.event)) this.#showFiltered(tapped)
    } catch (error) {
      if (error !== BEYOND_BUDGET) throw error
      this.#skip(false)
    }
    return meter?.spent ?? 0
  }

  #showFiltered(tapped: TappedEvent): void {
    const { limit } = this.#bounds
    if (this.#shownInSecond >= SHOWN_PER_SECOND || this.#bytesInSecond >= SHOWN_BYTES_PER_SECOND) {
      this.#skip(true)
      return
    }
    this.#shownInSecond++
    this.#bytesInSecond += tapped.event.bytes
    this.#shown++
    this.#receive(tapped)
    if (this.#shown >= limit) this.end('limit')
  }

  #show(mark: TapMark): void {
    this.#receive(mark)
    if (mark.revision === null) this.end('withdrawn')
  }

  #skip(isFiltered: boolean): void {
    this.#skipped++
    this.#toTell.count++
    if (!isFiltered) this.#toTell.notFiltered++
  }
}
