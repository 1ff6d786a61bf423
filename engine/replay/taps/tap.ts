import type { Clock } from '../../clock/clock.ts'
import type { Predicate } from '../../conditions/condition.ts'
import type { Event } from '../../event/event.ts'
import { BEYOND_BUDGET, type EventMeter, NO_NUMBER } from '../../expressions/cost-meter.ts'
import { SECOND_MS } from '../../times/duration.ts'

/** More than that in a second is thinned: components, section 8.3. */
const SHOWN_PER_SECOND = 100
/** As edges count them; one event is shown in any case. */
const SHOWN_BYTES_PER_SECOND = 1024 * 1024
/** Events wait at most for that, so they hold records for moments only. */
const TURN_MS = 50
/** Held against the filter in one turn, so that a tap takes little of the process: 2,000 a second. */
const LOOKED_AT_PER_TURN = 100
/** What its filter may cost in a turn, but for the event with which it gets there: a few milliseconds. */
const UNITS_PER_TURN = 200_000
const MAX_WAITING = 1_000

/** Why a tap has ended. */
export type TapEnd = 'limit' | 'time' | 'withdrawn' | 'rights' | 'closed' | 'slow' | 'stopped' | 'failed'

/** A revision has come into effect where the tap is, or is in effect when it begins. */
export interface TapMark {
  readonly type: 'revision'
  /** Null: nothing runs. */
  readonly revision: number | null
  /** Number of the deployment. */
  readonly deployment: number
  readonly isPaused: boolean
  /** Whether what is watched is part of it. */
  readonly isPresent: boolean
  readonly atMs: number
}

export interface TappedEvent {
  readonly type: 'event'
  /** Name of the output that it left by, '' for the default one. */
  readonly output: string
  readonly event: Event
}

export interface TapSkips {
  readonly type: 'skipped'
  /** Since the last word of it. */
  readonly count: number
  /** As many of them were not held against the filter. */
  readonly notFiltered: number
}

export interface TapEnding {
  readonly type: 'end'
  readonly reason: TapEnd
  /** All that were shown, and all that were skipped. */
  readonly shown: number
  readonly skipped: number
}

export type TapMessage = TappedEvent | TapMark | TapSkips | TapEnding

export interface TapBounds {
  readonly filter: Predicate
  /** Counts what the filter costs; absent: it costs nothing. */
  readonly meter?: EventMeter | undefined
  /** Events after which it ends. */
  readonly limit: number
  readonly lastsMs: number
}

/**
 * One look at a stream of events. It takes events at once and works on them in turns of its own, a bounded number in
 * each; what it cannot take it skips and counts. Components, section 8.3.
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

  /** @param receive gets everything, in order; nothing after the message `end` */
  constructor(clock: Clock, bounds: TapBounds, receive: (message: TapMessage) => void) {
    this.#clock = clock
    this.#bounds = bounds
    this.#receive = receive
    const { signal } = this.#ended
    void clock.sleep(bounds.lastsMs, signal).then(() => this.end('time'))
  }

  /** Aborted when it has ended. */
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

  /** Says how it ended. Once is enough. */
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
    // A tap that fails takes nobody with it.
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

  /** @returns what the filter has cost */
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
