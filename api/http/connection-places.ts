import type { Asker } from '../../engine/turns/asker.ts'
import { Holdings } from '../../engine/turns/holdings.ts'
import { tooManyRequests } from './rate-limit.ts'

/** Time until a place may be free again. */
const RETRY_AFTER_S = 5

export interface PlaceLimits {
  readonly perProcess: number
  readonly perAccount: number
}

/**
 * Places of a process for clients that stay connected. An enterprise leaves as many as an account may have to others. An account has
 * no more than it leaves free for the other accounts of its enterprise; its first place only needs to be free.
 */
export class ConnectionPlaces {
  readonly #what: string
  readonly #limits: PlaceLimits
  #taken = 0
  readonly #ofAccount = new Holdings()
  readonly #ofEnterprise = new Holdings()

  /** @param what name of a connection, for people */
  constructor(what: string, limits: PlaceLimits) {
    this.#what = what
    this.#limits = limits
  }

  /** @throws ApiError 429 */
  assertFree({ account, enterprise }: Asker): void {
    const { perProcess, perAccount } = this.#limits
    if (this.#taken >= perProcess) throw this.#refusal('This process has', perProcess)
    const held = this.#ofAccount.of(account)
    if (held >= perAccount) throw this.#refusal('The account has', perAccount, ' in this process')
    const taken = this.#ofEnterprise.of(enterprise)
    const free = Math.max(perAccount, perProcess - perAccount) - taken
    if (free <= 0 || (held > 0 && held >= free))
      throw this.#refusal('The accounts of the enterprise have', taken, ' in this process')
  }

  /** Takes a place, whether or not one is free. @returns gives it back */
  take(asker: Asker): () => void {
    this.#add(asker, 1)
    let isHeld = true
    return () => {
      if (isHeld) this.#add(asker, -1)
      isHeld = false
    }
  }

  #add({ account, enterprise }: Asker, places: number): void {
    this.#taken += places
    this.#ofAccount.add(account, places)
    this.#ofEnterprise.add(enterprise, places)
  }

  #refusal(who: string, most: number, where = '') {
    const open = `${most} ${this.#what}${most === 1 ? '' : 's'} open`
    return tooManyRequests(`${who} ${open}${where}: close one of them first`, RETRY_AFTER_S)
  }
}
