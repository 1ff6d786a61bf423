import type { Asker } from '../../../engine/turns/asker.ts'
import { Holdings } from '../../../engine/turns/holdings.ts'

/** Holder of all bodies whose sender is not known yet. */
export const STRANGERS: Asker = { account: '', enterprise: '' }

/** Sender of a body, as far as it is known. */
interface Sender {
  readonly subjectId: string
  readonly account?: { readonly shortId: string }
  readonly enterpriseId?: string
}

/** Account and sender of a body. @param sender null or undefined: nobody knows yet */
export function holderOf(sender: Sender | null | undefined): Asker {
  if (sender === null || sender === undefined) return STRANGERS
  const account = sender.account?.shortId ?? sender.subjectId
  return { account, enterprise: sender.enterpriseId ?? account }
}

/** Share of the room for bodies without a known sender, so that they cannot use up the room of others. */
const STRANGERS_SHARE = 1 / 8
/** Bytes that an enterprise can hold per byte that stays free: alone three quarters of the room. */
const ENTERPRISE_PER_FREE = 3
/** Bytes that an account can hold per byte that stays free for its enterprise: alone half of the room. */
const ACCOUNT_PER_FREE = 2

/**
 * Memory for the bodies that a server receives or decompresses at the same time. It is divided among enterprises first, and then among
 * the accounts of an enterprise. An account can hold half of the room, beside one of another enterprise a third. Some room
 * always stays free: for other enterprises a quarter of the room that others leave, and within it for other accounts a third.
 */
export class BodyRoom {
  readonly limitBytes: number
  #usedBytes = 0
  readonly #ofAccount = new Holdings()
  readonly #ofEnterprise = new Holdings()

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  /**
   * @returns false without taking any bytes, if there is not enough room. The first bytes of an enterprise only need to be free,
   *          and into an empty room any number is accepted.
   */
  take(holder: Asker, bytes: number): boolean {
    if (this.#usedBytes > 0 && !this.#fits(holder, bytes)) return false
    this.#add(holder, bytes)
    return true
  }

  #fits({ account, enterprise }: Asker, bytes: number): boolean {
    const freeBytes = this.limitBytes - this.#usedBytes - bytes
    if (freeBytes < 0) return false
    const before = this.#ofEnterprise.of(enterprise)
    if (before === 0) return true
    const ofAccount = this.#ofAccount.of(account) + bytes
    if (account === STRANGERS.account && ofAccount > this.limitBytes * STRANGERS_SHARE) return false
    const ofEnterprise = before + bytes
    // The enterprise may hold its part of the room that others leave. The rest of that part is free for its accounts.
    const part = ((ofEnterprise + freeBytes) * ENTERPRISE_PER_FREE) / (1 + ENTERPRISE_PER_FREE)
    return ofAccount <= (part - ofEnterprise) * ACCOUNT_PER_FREE
  }

  give(holder: Asker, bytes: number): void {
    this.#add(holder, -bytes)
  }

  #add({ account, enterprise }: Asker, bytes: number): void {
    this.#usedBytes += bytes
    this.#ofAccount.add(account, bytes)
    this.#ofEnterprise.add(enterprise, bytes)
  }
}
