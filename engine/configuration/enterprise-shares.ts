import type { Clock } from '../clock/clock.ts'
import { HOUR_MS } from '../times/duration.ts'

/** Bytes that the holders of one enterprise divide. */
export interface SharedBytes {
  readonly bytesPerHour: number
  /** Maximum of saved bytes of all holders together. */
  readonly atOnce: number
  /** Bytes that an account begins with when it joins, beside those that the others lose. */
  readonly atJoining: number
}

/** The holder that is the enterprise itself. */
export const ENTERPRISE_ITSELF = ''

/** Shares of all enterprises, as far as their accounts are known. */
export class EnterpriseShares {
  readonly #clock: Clock
  readonly #shared: SharedBytes
  readonly #enterpriseOf = new Map<string, string>()
  readonly #shares = new Map<string, EqualShares>()

  constructor(clock: Clock, shared: SharedBytes) {
    this.#clock = clock
    this.#shared = shared
  }

  of(enterprise: string): EqualShares {
    let shares = this.#shares.get(enterprise)
    if (shares === undefined) {
      shares = new EqualShares(this.#clock, this.#shared)
      this.#shares.set(enterprise, shares)
    }
    return shares
  }

  /** Adds an account that has belonged to an enterprise for long: nobody knows its earlier changes, so its share is whole. */
  add(account: string, enterprise: string): void {
    this.#enterpriseOf.set(account, enterprise)
    this.of(enterprise).add()
  }

  /** Notes the present enterprise of an account; undefined: it has none. */
  note(account: string, enterprise: string | undefined): void {
    const former = this.#enterpriseOf.get(account)
    if (former === enterprise) return
    if (former !== undefined) this.of(former).leave(account)
    if (enterprise === undefined) {
      this.#enterpriseOf.delete(account)
      return
    }
    this.#enterpriseOf.set(account, enterprise)
    this.of(enterprise).join(account)
  }
}

/**
 * Bytes that an enterprise and its accounts divide equally. Each of them saves up its own share, which no other one can use. The
 * shares get smaller while there are more holders. A holder that comes later begins with the saved bytes that the others lose by
 * that. So the shares of ever new accounts are together never more than those of the first ones.
 */
export class EqualShares {
  readonly #clock: Clock
  readonly #shared: SharedBytes
  #holders = 1
  /** Bytes that each share has earned since the beginning, at the time below. */
  #earned = 0
  #earnedAtMs: number
  /** Earned bytes at which a share had nothing left; absent: so long ago that it is whole. */
  readonly #emptyAt = new Map<string, number>()
  /** Lower bound of these: nobody keeps more than a whole share when there are fewer holders. */
  #emptyAtLeast = -Infinity

  constructor(clock: Clock, shared: SharedBytes) {
    this.#clock = clock
    this.#shared = shared
    this.#earnedAtMs = clock.monotonicMs()
  }

  /** Adds a holder whose share is whole, at the beginning. */
  add(): void {
    this.#holders++
  }

  /** Adds a holder that has the bytes of a new one, and those that the others lose. */
  join(holder: string): void {
    this.#earn()
    const before = this.#leftOfAll()
    this.#holders++
    this.#emptyAt.set(holder, this.#earned)
    const lost = before - this.#leftOfAll()
    this.#emptyAt.set(holder, this.#earned - Math.min(this.#whole, lost + this.#shared.atJoining))
  }

  leave(holder: string): void {
    this.#earn()
    this.#emptyAtLeast = Math.max(this.#emptyAtLeast, this.#earned - this.#whole)
    this.#holders--
    this.#emptyAt.delete(holder)
  }

  /** @returns ms until the share has so many bytes; 0 or less: now; infinite: never, with as many holders as at present */
  waitMs(holder: string, bytes: number): number {
    if (bytes > this.#whole) return Infinity
    return ((bytes - this.#left(holder)) / this.#perHour) * HOUR_MS
  }

  take(holder: string, bytes: number): void {
    this.#emptyAt.set(holder, this.#earned - this.#left(holder) + bytes)
  }

  /** Gives taken bytes back. */
  give(holder: string, bytes: number): void {
    this.take(holder, -bytes)
  }

  #left(holder: string): number {
    this.#earn()
    return this.#leftSince(this.#emptyAt.get(holder))
  }

  #leftOfAll(): number {
    let left = (this.#holders - this.#emptyAt.size) * this.#leftSince()
    for (const emptyAt of this.#emptyAt.values()) left += this.#leftSince(emptyAt)
    return left
  }

  #leftSince(emptyAt = -Infinity): number {
    return Math.min(this.#whole, this.#earned - Math.max(emptyAt, this.#emptyAtLeast))
  }

  get #whole(): number {
    return this.#shared.atOnce / this.#holders
  }

  get #perHour(): number {
    return this.#shared.bytesPerHour / this.#holders
  }

  #earn(): void {
    const nowMs = this.#clock.monotonicMs()
    this.#earned += ((nowMs - this.#earnedAtMs) / HOUR_MS) * this.#perHour
    this.#earnedAtMs = nowMs
  }
}
