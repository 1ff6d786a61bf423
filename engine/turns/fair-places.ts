import type { Asker } from './asker.ts'
import { Holdings } from './holdings.ts'

/** Begins a request that waits. */
type Begin = () => void

/**
 * A number of places that many accounts share. A waiting request gets its place in turn: enterprises take turns, and so do
 * the accounts of an enterprise, however many accounts or requests there are.
 */
export class FairPlaces {
  readonly #places: number
  #free: number
  readonly #mostPerAccount: number
  /** Places in use by account. */
  readonly #ofAccount = new Holdings()
  /** Places in use by enterprise. */
  readonly #ofEnterprise = new Holdings()
  /** Waiting requests by enterprise and account; those whose turn is next come first. */
  readonly #waiting = new Map<string, Map<string, Begin[]>>()
  /** The first enterprise that had a request. */
  #firstEnterprise: string | undefined
  #hasSeveralEnterprises = false

  /**
   * @param mostPerAccount if it is below the number of places, a single account never keeps the others waiting; nor does a
   *   single enterprise, once another one has had a request
   */
  constructor(places: number, mostPerAccount = places) {
    this.#places = places
    this.#free = places
    this.#mostPerAccount = mostPerAccount
  }

  /** Number of the account's requests that wait. */
  waitingOf({ account, enterprise }: Asker): number {
    return this.#waiting.get(enterprise)?.get(account)?.length ?? 0
  }

  /**
   * Waits for a place.
   *
   * @param signal ends the waiting
   * @returns gives the place back
   * @throws the reason of the signal
   */
  async take(asker: Asker, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    this.#noteEnterprise(asker)
    if (this.#free > 0 && this.#mayHoldMore(asker)) this.#begin(asker)
    else await this.#turn(asker, signal)
    let isHeld = true
    return () => {
      if (isHeld) this.#giveBack(asker)
      isHeld = false
    }
  }

  /** The program itself is not an enterprise that needs a place of its own. */
  #noteEnterprise({ account, enterprise }: Asker): void {
    if (account === '') return
    this.#firstEnterprise ??= enterprise
    this.#hasSeveralEnterprises ||= enterprise !== this.#firstEnterprise
  }

  #mayHoldMore({ account, enterprise }: Asker): boolean {
    const isReserved = this.#hasSeveralEnterprises && this.#mostPerAccount < this.#places
    const mostPerEnterprise = isReserved ? this.#places - 1 : this.#places
    return (
      this.#ofAccount.of(account) < this.#mostPerAccount &&
      this.#ofEnterprise.of(enterprise) < mostPerEnterprise
    )
  }

  #begin({ account, enterprise }: Asker): void {
    this.#free--
    this.#ofAccount.add(account, 1)
    this.#ofEnterprise.add(enterprise, 1)
  }

  #turn(asker: Asker, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.#keepWaiting(asker, rest => rest.filter(other => other !== begin))
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#keepWaiting(asker, others => [...others, begin])
    })
  }

  /** Replaces the waiting requests of an account, which keeps its place in the order. */
  #keepWaiting({ account, enterprise }: Asker, change: (waiting: Begin[]) => Begin[]): void {
    const accounts = this.#waiting.get(enterprise) ?? new Map<string, Begin[]>()
    const waiting = change(accounts.get(account) ?? [])
    if (waiting.length > 0) accounts.set(account, waiting)
    else accounts.delete(account)
    if (accounts.size > 0) this.#waiting.set(enterprise, accounts)
    else this.#waiting.delete(enterprise)
  }

  #giveBack({ account, enterprise }: Asker): void {
    this.#free++
    this.#ofAccount.add(account, -1)
    this.#ofEnterprise.add(enterprise, -1)
    const next = this.#nextInTurn()
    if (next === undefined) return
    this.#begin(next)
    this.#takeFirst(next)()
  }

  /** The first waiting account that may hold more. */
  #nextInTurn(): Asker | undefined {
    for (const [enterprise, accounts] of this.#waiting)
      for (const account of accounts.keys())
        if (this.#mayHoldMore({ account, enterprise })) return { account, enterprise }
    return undefined
  }

  /** Moves the other requests of the account to the end of its enterprise, and those of the enterprise to the end of all. */
  #takeFirst({ account, enterprise }: Asker): Begin {
    const accounts = this.#waiting.get(enterprise) as Map<string, Begin[]>
    const [first, ...rest] = accounts.get(account) as [Begin, ...Begin[]]
    this.#waiting.delete(enterprise)
    accounts.delete(account)
    if (rest.length > 0) accounts.set(account, rest)
    if (accounts.size > 0) this.#waiting.set(enterprise, accounts)
    return first
  }
}
