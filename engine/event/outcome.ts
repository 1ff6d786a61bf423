import type { JsonObject } from '../../schemas/json.ts'
import type { ErrorCode, ErrorDetail } from './errors.ts'
import type { Event } from './event.ts'

/**
 * Result of a processor for one event. A plain event means "passes", so the common case allocates nothing. `E` is `Event` in the
 * engine; examples use plain messages.
 */
export type Outcome<Code extends ErrorCode = ErrorCode, E = Event> =
  | E
  | PassedWithError<Code, E>
  | Dropped
  | Split<E>
  | Routed<E>
  | Gathered<E>
  | Settled<E>
  | Failed<Code>

/** The event continues, and an error is recorded. */
export class PassedWithError<Code extends ErrorCode, E = Event> {
  readonly event: E
  readonly code: Code
  readonly detail: ErrorDetail

  constructor(event: E, code: Code, detail: ErrorDetail) {
    this.event = event
    this.code = code
    this.detail = detail
  }
}

/** The event was left out on purpose. */
export class Dropped {
  readonly kind = 'dropped'
}

/** Several events in place of one, in order; none means dropped. Its size is known before a part is made. */
export class Split<E = Event> {
  readonly count: number
  /** The parts; each may be made when the iteration asks for it. */
  readonly events: Iterable<E>
  /** Sum of `Event.bytes` of the parts. */
  readonly bytes: number
  /** Units of the work of copying the event to its parts: see `EventMeter.copies`. */
  readonly copyUnits: number

  constructor(count: number, events: Iterable<E>, bytes = 0, copyUnits = 0) {
    this.count = count
    this.events = events
    this.bytes = bytes
    this.copyUnits = copyUnits
  }
}

/** The event leaves by each of these outputs, named as in the processor's `outputs`. */
export class Routed<E = Event> {
  readonly event: E
  readonly outputs: readonly string[]

  constructor(event: E, outputs: readonly string[]) {
    this.event = event
    this.outputs = outputs
  }
}

/**
 * The event became part of a window. It was either merged into an event of the window, or it is held until the window ends. Where
 * windows overlap, a copy of it was merged into each further one.
 */
export class Gathered<E = Event> {
  readonly merged: boolean
  /** Events of the windows that this event ended, in order. */
  readonly released: readonly E[]
  /** The released event that this event is part of, as the last of its window. */
  readonly own: E | undefined
  /** Number of further windows into which copies of it were merged. */
  readonly copies: number

  constructor(merged: boolean, released: readonly E[], own?: E, copies = 0) {
    this.merged = merged
    this.released = released
    this.own = own
    this.copies = copies
  }
}

/** The event passes, is left out or is held, and events that were held before it leave the memory with it. */
export class Settled<E = Event> {
  readonly fate: Fate
  /** Held events that leave after it, in order. */
  readonly released: readonly E[]
  /** Held events that are left out on purpose, in order. */
  readonly leftOut: readonly LeftOut<E>[]

  constructor(fate: Fate, released: readonly E[], leftOut: readonly LeftOut<E>[]) {
    this.fate = fate
    this.released = released
    this.leftOut = leftOut
  }
}

export type Fate = 'passed' | 'dropped' | 'held'

/** A held event that is left out on purpose. */
export interface LeftOut<E = Event> {
  readonly event: E
  /** Rule that left it out, for explanations. */
  readonly reason: JsonObject
}

/** The event could not be processed and ends here. */
export class Failed<Code extends ErrorCode> {
  readonly code: Code
  readonly detail: ErrorDetail

  constructor(code: Code, detail: ErrorDetail) {
    this.code = code
    this.detail = detail
  }
}

const DROPPED = new Dropped()
const NO_DETAIL: ErrorDetail = {}

export function pass<E>(event: E): E
export function pass<E, Code extends ErrorCode>(
  event: E,
  code: Code,
  detail?: ErrorDetail,
): PassedWithError<Code, E>
export function pass<E, Code extends ErrorCode>(event: E, code?: Code, detail = NO_DETAIL) {
  return code === undefined ? event : new PassedWithError(event, code, detail)
}

export function drop(): Dropped {
  return DROPPED
}

/** Splits into parts whose size does not matter, as in examples. */
export function split<E>(events: readonly E[]): Split<E> {
  return new Split(events.length, events)
}

/** Splits into events that are made when they are asked for, because together they may take long. */
export function splitInTurn<E>({ count, events, bytes, copyUnits }: Split<E>): Split<E> {
  return new Split(count, events, bytes, copyUnits)
}

export function route<E>(event: E, outputs: readonly string[]): Routed<E> {
  return new Routed(event, outputs)
}

export function hold<E>(released: readonly E[] = [], own?: E): Gathered<E> {
  return new Gathered(false, released, own)
}

export function merge<E>(released: readonly E[] = [], own?: E): Gathered<E> {
  return new Gathered(true, released, own)
}

/** The event releases held ones, or leaves them out. */
export function settle<E>(
  fate: Fate,
  released: readonly E[] = [],
  leftOut: readonly LeftOut<E>[] = [],
): Settled<E> {
  return new Settled(fate, released, leftOut)
}

export function fail<Code extends ErrorCode>(code: Code, detail = NO_DETAIL): Failed<Code> {
  return new Failed(code, detail)
}
