import { QueueMap } from '../../../windows/queue-map.ts'
import { copiedText } from '../../contract/values-key.ts'

/** Decision on a trace, with the log time from which on it lives, UNIX ms: when it was made or last prolonged. */
export type Decided = readonly [trace: string, kept: boolean, sinceMs: number]

/** Distance from the base beyond which the times are counted from another one: six days. */
const MAX_DISTANCE_MS = 2 ** 29

/** Decisions on traces, in the order in which they end. */
export class Decisions {
  /**
   * Twice the time from which on a decision lives, counted from the base, and 1 if the trace is kept. Such a number is part of the
   * map, while a larger one would be an object of its own.
   */
  readonly #uses = new QueueMap<string, number>()
  /** Log time from which the times are counted, UNIX ms. */
  #baseMs = 0

  get count(): number {
    return this.#uses.size
  }

  /**
   * Whether a trace is kept; undefined: it is not decided.
   *
   * @param untilMs a decision is forgotten if it lives since then or longer
   */
  find(trace: string, untilMs: number): boolean | undefined {
    const use = this.#uses.get(trace)
    if (use === undefined) return undefined
    if (this.#timeOf(use) > untilMs) return isKept(use)
    this.#uses.delete(trace)
    return undefined
  }

  /** Makes or prolongs a decision. */
  note(trace: string, kept: boolean, nowMs: number): void {
    if (Math.abs(nowMs - this.#baseMs) > MAX_DISTANCE_MS) this.#countFrom(nowMs)
    const known = this.#uses.get(trace)
    const sinceMs = known === undefined ? nowMs : Math.max(nowMs, this.#timeOf(known))
    const use = useOf(kept, sinceMs - this.#baseMs)
    if (known === use) return
    if (known !== undefined) this.#uses.delete(trace)
    this.#uses.add(copiedText(trace), use)
  }

  #timeOf(use: number): number {
    return this.#baseMs + Math.floor(use / 2)
  }

  #countFrom(baseMs: number): void {
    const fromBaseMs = this.#baseMs - baseMs
    for (const [trace, use] of this.#uses.entries())
      this.#uses.replace(trace, smallInteger(use + 2 * fromBaseMs))
    this.#baseMs = baseMs
  }

  remove(trace: string): void {
    this.#uses.delete(trace)
  }

  /** Forgets the decision that ends first. */
  forgetOldest(): void {
    const { first } = this.#uses
    if (first !== undefined) this.#uses.delete(first)
  }

  /**
   * Forgets decisions that live since a time or longer.
   *
   * @param most number of decisions to forget at a time
   * @returns false: there are more
   */
  forgetUntil(untilMs: number, most: number): boolean {
    for (let count = 0; count < most; count++) {
      const { first } = this.#uses
      if (first === undefined || this.#timeOf(this.#uses.get(first) as number) > untilMs) return true
      this.#uses.delete(first)
    }
    return false
  }

  *entries(): Iterable<Decided> {
    for (const [trace, use] of this.#uses.entries()) yield [trace, isKept(use), this.#timeOf(use)]
  }

  /** Adds decisions from elsewhere, each in its place. */
  add(decided: readonly Decided[]): void {
    const isPresent = this.#uses.size > 0
    for (const [trace, kept, sinceMs] of decided) this.note(trace, kept, sinceMs)
    if (isPresent) this.#uses.sort((one, other) => this.#timeOf(one) - this.#timeOf(other))
  }
}

/** @param sinceMs time from which on the decision lives, counted from the base */
function useOf(kept: boolean, sinceMs: number): number {
  return smallInteger(2 * sinceMs + (kept ? 1 : 0))
}

function isKept(use: number): boolean {
  return use % 2 !== 0
}

/** The number as the integer that V8 keeps without an object, if it is small enough. */
function smallInteger(number: number): number {
  const small = number | 0
  return small === number ? small : number
}
