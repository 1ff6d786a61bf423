import type { Clock } from '../clock/clock.ts'
import { LogError } from '../log/log.ts'
import { HOUR_MS, MINUTE_MS } from '../times/duration.ts'
import { type EnterpriseShift, type FollowedConfiguration, followEnterprises } from './enterprise-accounts.ts'
import { EnterpriseShares } from './enterprise-shares.ts'
import { BudgetExhausted } from './rejection.ts'
import type { Urgency } from './urgency.ts'

/** Default bytes of changes per account and hour. The log keeps every change forever. (Our choice.) */
export const CHANGE_BYTES_PER_HOUR = 33_554_432
/** Hours for which unused bytes are saved up. A pipeline of 700 nodes can be written node by node at once. */
const SAVED_HOURS = 8
/**
 * Budget of an enterprise, in budgets of an account. All of it at once is a fifth of the room for changes in a log of 20 GiB.
 * (Our choice.)
 */
const ACCOUNTS_PER_ENTERPRISE = 4
/**
 * Part of that budget which is divided into equal shares. The other part is common, for those who need more: three busy accounts can each
 * write as much as an account alone. (Our choice.)
 */
const DIVIDED = 1 / 2
/**
 * Bytes that an enterprise pays for a new account, beside those of its event. Every process holds accounts in memory. The share of the
 * new account has as many from the beginning. (Our choice.)
 */
const NEW_ACCOUNT_BYTES = 65_536
/** Holders are forgotten from this number on, once they have saved up everything again. */
const FORGET_FROM = 1_024

/** Account and enterprise whose budgets a change uses up. */
export interface Payer {
  /** Short id; empty: no account. */
  readonly account: string
  /** Key of the enterprise that the account belongs to, or that changes itself; undefined: none. */
  readonly enterprise: string | undefined
  /** Holder of the share in the budget of the enterprise: the account, or the enterprise itself. */
  readonly sharer: string
}

interface ChangePrice {
  /** Length of the event on the log. */
  readonly bytes: number
  readonly urgency: Urgency
  /** Accounts that begin or stop to share the budget of the enterprise. */
  readonly shift: EnterpriseShift
}

/** Bytes that a holder uses up. */
interface Payment {
  readonly from: Pick<SavedBytes, 'take' | 'give'>
  readonly holder: string
  readonly bytes: number
}

/**
 * Budgets for the bytes of changes on the log, in this process: one of each account, and one of each enterprise. Whatever the other accounts
 * of an enterprise write, an account can always use its share of the latter. Every write is counted, also those that the
 * budgets do not refuse. So an account with much essential work waits longer before its next ordinary change.
 */
export class ChangeBudget {
  readonly #bytesPerHour: number
  readonly #accounts: SavedBytes
  /** Common parts of the budgets of enterprises. */
  readonly #common: SavedBytes
  readonly #shares: EnterpriseShares

  constructor(clock: Clock, bytesPerHour = CHANGE_BYTES_PER_HOUR) {
    this.#bytesPerHour = bytesPerHour
    this.#accounts = new SavedBytes(clock, bytesPerHour)
    const ofEnterprise = bytesPerHour * ACCOUNTS_PER_ENTERPRISE
    const divided = ofEnterprise * DIVIDED
    this.#common = new SavedBytes(clock, ofEnterprise - divided)
    this.#shares = new EnterpriseShares(clock, {
      bytesPerHour: divided,
      atOnce: divided * SAVED_HOURS,
      atJoining: NEW_ACCOUNT_BYTES,
    })
  }

  /** Divides budgets among the accounts of a configuration from now on. */
  follow(configuration: FollowedConfiguration): void {
    followEnterprises(configuration, {
      present: (account, enterprise) => this.#shares.add(account, enterprise),
      changed: (account, enterprise) => this.#shares.note(account, enterprise),
    })
  }

  /**
   * Runs a write, and counts its bytes unless the log is full and has stored nothing.
   *
   * @param payer undefined: the program itself, which has no budget
   * @throws BudgetExhausted; any error of `write`
   */
  async spend(payer: Payer | undefined, price: ChangePrice, write: () => Promise<void>): Promise<void> {
    const payments =
      payer === undefined ? [] : [...this.#ofAccount(payer, price), ...this.#ofEnterprise(payer, price)]
    for (const { from, holder, bytes } of payments) from.take(holder, bytes)
    try {
      await write()
    } catch (error) {
      if (error instanceof LogError && error.code === 'LOG_FULL')
        for (const { from, holder, bytes } of payments) from.give(holder, bytes)
      throw error
    }
  }

  /** @throws BudgetExhausted */
  #ofAccount({ account }: Payer, { bytes, urgency }: ChangePrice): Payment[] {
    if (account === '') return []
    const waitMs = this.#accounts.waitMs(account, bytes, urgency)
    if (waitMs > 0) throw exhausted('The account has changed its', this.#bytesPerHour, waitMs)
    return [{ from: this.#accounts, holder: account, bytes }]
  }

  /** A share pays as long as it can, so that the common part remains for those who need more. @throws BudgetExhausted */
  #ofEnterprise({ enterprise, sharer }: Payer, { bytes: length, urgency, shift }: ChangePrice): Payment[] {
    if (enterprise === undefined) return []
    // A detached account has a whole budget of its own. Without a price, accounts would be created in order to detach them.
    const perDetached = this.#bytesPerHour * SAVED_HOURS
    const bytes = length + shift.created * NEW_ACCOUNT_BYTES + shift.detached * perDetached
    const shares = this.#shares.of(enterprise)
    const shareMs = shares.waitMs(sharer, bytes)
    if (shareMs <= 0) return [{ from: shares, holder: sharer, bytes }]
    const commonMs = this.#common.waitMs(enterprise, bytes, urgency)
    if (commonMs <= 0) return [{ from: this.#common, holder: enterprise, bytes }]
    throw exhausted(
      'The accounts of the enterprise together have changed their',
      this.#bytesPerHour * ACCOUNTS_PER_ENTERPRISE,
      Math.min(commonMs, shareMs),
    )
  }
}

function exhausted(whose: string, bytesPerHour: number, waitMs: number): BudgetExhausted {
  const sentence =
    `${whose} configuration too much: ${bytesPerHour} bytes an hour are possible, and ` +
    `${bytesPerHour * SAVED_HOURS} at once. Repeat the request in ${Math.ceil(waitMs / MINUTE_MS)} min. ` +
    'Deletions and revocations continue to work'
  return new BudgetExhausted(sentence, Math.ceil(waitMs / 1_000))
}

/** Bytes that each of some holders may write: so many an hour, and those saved up. */
class SavedBytes {
  readonly #clock: Clock
  readonly #bytesPerHour: number
  /** Time at which the holder has saved up everything, monotonic ms. */
  readonly #fullAtMs = new Map<string, number>()

  constructor(clock: Clock, bytesPerHour: number) {
    this.#clock = clock
    this.#bytesPerHour = bytesPerHour
  }

  /** @returns ms until the holder may write so many bytes; 0 or less: now */
  waitMs(holder: string, bytes: number, urgency: Urgency): number {
    const savedMs = SAVED_HOURS * HOUR_MS
    // Essential changes have as much again.
    const limitMs = { ordinary: savedMs, essential: 2 * savedMs, act: Infinity, relief: Infinity }[urgency]
    return this.#fullAt(holder) + this.#msOf(bytes) - this.#clock.monotonicMs() - limitMs
  }

  take(holder: string, bytes: number): void {
    this.#fullAtMs.set(holder, this.#fullAt(holder) + this.#msOf(bytes))
    if (this.#fullAtMs.size >= FORGET_FROM) this.#forget()
  }

  /** Gives taken bytes back. */
  give(holder: string, bytes: number): void {
    this.#fullAtMs.set(holder, (this.#fullAtMs.get(holder) ?? 0) - this.#msOf(bytes))
  }

  #fullAt(holder: string): number {
    return Math.max(this.#fullAtMs.get(holder) ?? 0, this.#clock.monotonicMs())
  }

  #msOf(bytes: number): number {
    return (bytes / this.#bytesPerHour) * HOUR_MS
  }

  #forget(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const [holder, fullAtMs] of this.#fullAtMs) if (fullAtMs <= nowMs) this.#fullAtMs.delete(holder)
  }
}
