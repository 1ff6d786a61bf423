import { hash } from 'node:crypto'
import type { JsonObject } from '../../../../schemas/json.ts'
import type { Event } from '../../../event/event.ts'
import { type KeptEvent, keptEvent, keptEventsOf, returnedEvents } from '../../../event/kept-event.ts'
import { parseExactJson } from '../../../json/exact-json.ts'
import { finish, joined, type Steps } from '../../../steps.ts'
import { linesIn, listIn } from '../../../windows/snapshot-lines.ts'
import type { StatePiece } from '../../contract/define-processor.ts'
import { keyHash } from '../../contract/values-key.ts'
import { type Decided, Decisions } from './decisions.ts'
import { WAITING, type WaitingTrace, WaitingTraces, waitingLines } from './waiting-traces.ts'

const FORMAT = 1
/** Longer ids are stored as their SHA-256. */
const MAX_ID_UNITS = 64
/** A digest with this mark is longer than any id that is stored as it is. */
const DIGEST_MARK = '#'
/** Maximum size of a piece, which is sent as one record. */
const MAX_PIECE_BYTES = 500_000
/** Decisions that are written, read or split at a time: a millisecond. */
const DECISIONS_AT_A_TIME = 1_000
/** Rough size of a decision in memory, in addition to its id. */
const DECISION_BYTES = 56

/** Kinds of lines in a snapshot. */
type KeptLine =
  | readonly [kind: 'turns', rules: string, places: readonly number[]]
  | readonly [kind: 'decided', ...decided: Decided[]]
  | readonly [kind: 'waiting', trace: string, endMs: number, ...spans: readonly JsonObject[]]

/** Means that a span was not counted in the turn of a rule. */
export const NO_PLACE = 0

/** Time for which decisions are remembered, and its beginning. */
export interface DecisionLife {
  readonly ms: number
  readonly from: 'decision' | 'last span'
}

/** Bounds of the traces of one node in one partition: components, section 5.24. */
export interface TraceBounds {
  /** Traces that are remembered, whether they are decided or not. */
  readonly maxTraces: number
  /** Held spans of one trace. */
  readonly maxHeldSpans: number
  /** Estimated bytes of all held spans. */
  readonly maxHeldBytes: number
}

/** Bounds of every installation. */
export const TRACE_BOUNDS: TraceBounds = {
  maxTraces: 100_000,
  maxHeldSpans: 1_000,
  maxHeldBytes: 64 * 1024 * 1024,
}

/** The id of a trace as it is stored. */
export function keptTrace(id: string): string {
  return id.length <= MAX_ID_UNITS ? id : `${DIGEST_MARK}${hash('sha256', id)}`
}

/** The traces of a node in one partition: decisions, spans that wait for their root, and the turns of the rules. */
export class Traces {
  readonly #bounds: TraceBounds
  readonly #decisions = new Decisions()
  readonly #waiting = new WaitingTraces()
  /** Text of the rules that `places` belong to. */
  #rules = ''
  /** Place of the next trace in the turn of each rule; the first of a turn is kept. */
  #places: number[] = []
  /** Whether the trace of the last span was decided before, for the explanation of that span right after it. */
  wasDecided = false
  /** Rule whose turn the last span counted in, and its place there from 1 on, likewise; `NO_PLACE`: it was not counted. */
  lastRule = 0
  lastPlace = NO_PLACE

  constructor(bounds: TraceBounds = TRACE_BOUNDS) {
    this.#bounds = bounds
  }

  /** Number of held spans. */
  get held(): number {
    return this.#waiting.spans
  }

  /** Log time at which the next trace has waited long enough, UNIX ms; Infinity: none waits. */
  get deadlineMs(): number {
    return this.#waiting.oldest?.endMs ?? Number.POSITIVE_INFINITY
  }

  /** Whether a decided trace is kept, for a span of it; undefined: it is not decided. */
  follow(trace: string, nowMs: number, life: DecisionLife): boolean | undefined {
    const kept = this.#decisions.find(trace, nowMs - life.ms)
    if (kept !== undefined && life.from === 'last span') this.#decisions.note(trace, kept, nowMs)
    this.wasDecided = kept !== undefined
    this.lastPlace = NO_PLACE
    return kept
  }

  /**
   * Counts a trace in the turn of a rule.
   *
   * @param rules text of all rules; other rules begin anew
   * @returns whether the trace is the first of its turn
   */
  takeTurn(rules: string, index: number, rate: number): boolean {
    if (rules !== this.#rules) {
      this.#rules = rules
      this.#places = []
    }
    while (this.#places.length <= index) this.#places.push(0)
    const place = this.#places[index] as number
    this.#places[index] = (place + 1) % rate
    this.lastRule = index
    this.lastPlace = place + 1
    return place === 0
  }

  /** Notes the decision on a trace. @returns its spans that waited, in order */
  decide(trace: string, kept: boolean, nowMs: number): Event[] {
    const waiting = this.#waiting.find(trace)
    if (waiting !== undefined) this.#waiting.end(waiting)
    this.#decisions.note(trace, kept, nowMs)
    return waiting === undefined ? [] : returnedEvents(waiting.spans)
  }

  /** Holds a span of a trace that is not decided. @param endMs end of the wait, if it is the first of its trace */
  hold(trace: string, event: Event, endMs: number): void {
    this.#waiting.add(trace, endMs, keptEvent(event))
  }

  /**
   * Makes room until all bounds hold. A trace with too many spans is dropped, and the one that has waited longest where there are
   * too many traces or bytes. With too many traces and none that waits, the decision is forgotten that ends first.
   *
   * @param trace the trace of the present event
   * @returns the dropped spans in order, without the present event, and whether the present event is dropped with its trace
   */
  makeRoom(trace: string, nowMs: number): { readonly spans: Event[]; readonly isOwnDropped: boolean } {
    const spans: KeptEvent[] = []
    let isOwnDropped = false
    const dropTrace = (waiting: WaitingTrace) => {
      this.#waiting.end(waiting)
      if (waiting.trace === trace) {
        isOwnDropped = true
        waiting.spans.pop()
      }
      for (const span of waiting.spans) spans.push(span)
    }
    const own = this.#waiting.find(trace)
    const { maxHeldSpans, maxHeldBytes, maxTraces } = this.#bounds
    if (own !== undefined && own.spans.length > maxHeldSpans) {
      dropTrace(own)
      this.#decisions.note(trace, false, nowMs)
    }
    while (this.#waiting.bytes > maxHeldBytes) {
      const oldest = this.#waiting.oldest as WaitingTrace
      dropTrace(oldest)
      this.#decisions.note(oldest.trace, false, nowMs)
    }
    while (this.#waiting.count + this.#decisions.count > maxTraces) {
      const oldest = this.#waiting.oldest
      if (oldest === undefined) this.#decisions.forgetOldest()
      else dropTrace(oldest)
    }
    if (spans.length === 0) return { spans: [], isOwnDropped }
    return { spans: returnedEvents(spans), isOwnDropped }
  }

  /** Ends the wait of traces that are due at a time, oldest first, each when it is asked for. @yields their spans */
  *endWaiting(untilMs: number): Iterable<Event[]> {
    for (;;) {
      const oldest = this.#waiting.oldest
      if (oldest === undefined || oldest.endMs > untilMs) return
      this.#waiting.end(oldest)
      yield returnedEvents(oldest.spans)
    }
  }

  /** Forgets old decisions. @returns false: there are more; call it again */
  forgetUntil(untilMs: number): boolean {
    return this.#decisions.forgetUntil(untilMs, DECISIONS_AT_A_TIME)
  }

  measure(): Readonly<Record<string, number>> {
    const traces = this.#waiting.count + this.#decisions.count
    return {
      traces,
      waiting: this.#waiting.count,
      spans: this.#waiting.spans,
      bytes: this.#waiting.bytes + traces * (DECISION_BYTES + MAX_ID_UNITS),
    }
  }

  /** JSON lines. The first is the format. */
  *snapshot(): Steps<Uint8Array> {
    const parts: Buffer[] = [Buffer.from(`${FORMAT}\n`)]
    for (const line of this.#lines()) {
      parts.push(Buffer.from(`${line}\n`))
      yield
    }
    return yield* joined(parts)
  }

  *#lines(): Generator<string> {
    yield lineText(['turns', this.#rules, this.#places])
    yield* decidedLines(this.#decisions)
    for (const waiting of this.#waiting.all()) yield* waitingLines(waiting)
  }

  /** @throws RangeError when the bytes are not a snapshot */
  static *restore(bytes: Uint8Array, bounds?: TraceBounds): Steps<Traces> {
    const traces = new Traces(bounds)
    yield* traces.#absorbing(bytes)
    return traces
  }

  /** Adds a piece of a snapshot. @throws RangeError when the bytes are not valid */
  absorb(bytes: Uint8Array): void {
    finish(this.#absorbing(bytes))
  }

  *#absorbing(bytes: Uint8Array): Steps {
    const decided: Decided[] = []
    const present = this.#waiting.count
    for (const line of linesIn(bytes, FORMAT)) {
      // The other lines have only texts and times.
      const parse = line.startsWith(WAITING) ? parseExactJson : JSON.parse
      // The program wrote it.
      const [kind, ...rest] = listIn(line, parse) as unknown as KeptLine
      if (kind === 'turns') {
        const [rules, places] = rest as [string, number[]]
        this.#rules = rules
        this.#places = places
      } else if (kind === 'decided') {
        for (const each of rest as Decided[]) decided.push(each)
      } else {
        const [trace, endMs, ...spans] = rest as [string, number, ...JsonObject[]]
        for (const span of spans.flatMap(keptEventsOf)) this.#waiting.add(trace, endMs, span)
      }
      yield
    }
    if (decided.length > 0) this.#decisions.add(decided)
    if (present > 0 && this.#waiting.count > present) this.#waiting.sort()
  }

  /** Removes the traces of some shares. @yields pieces of a bounded size, for `absorb` */
  *split(shares: readonly number[], shareOf: (hash: number) => number): Iterable<StatePiece | undefined> {
    const moving = new Map(shares.map(share => [share, new Decisions()]))
    let count = 0
    for (const [trace, kept, sinceMs] of [...this.#decisions.entries()]) {
      if (++count % DECISIONS_AT_A_TIME === 0) yield undefined
      const target = moving.get(shareOf(keyHash(trace)))
      if (target === undefined) continue
      this.#decisions.remove(trace)
      target.note(trace, kept, sinceMs)
    }
    for (const [share, decisions] of moving)
      for (const line of decidedLines(decisions)) yield { share, data: pieceOf(line) }
    for (const waiting of [...this.#waiting.all()]) {
      yield undefined
      const share = shareOf(keyHash(waiting.trace))
      if (!moving.has(share)) continue
      this.#waiting.end(waiting)
      for (const line of waitingLines(waiting, MAX_PIECE_BYTES)) yield { share, data: pieceOf(line) }
    }
  }
}

function* decidedLines(decisions: Decisions): Generator<string> {
  let waiting: Decided[] = []
  for (const decided of decisions.entries()) {
    waiting.push(decided)
    if (waiting.length < DECISIONS_AT_A_TIME) continue
    yield lineText(['decided', ...waiting])
    waiting = []
  }
  if (waiting.length > 0) yield lineText(['decided', ...waiting])
}

function lineText(line: KeptLine): string {
  return JSON.stringify(line)
}

function pieceOf(line: string): Buffer {
  return Buffer.from(`${FORMAT}\n${line}\n`)
}
