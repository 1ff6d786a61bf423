import { hash } from 'node:crypto'
import { MINUTE_MS } from '../../engine/times/duration.ts'
import type { Asker } from '../../engine/turns/asker.ts'
import { tooManyRequests } from '../http/rate-limit.ts'

const ATTEMPT_EVERY_MS = MINUTE_MS
/** Time for which an account that has made an attempt yields to the others of its enterprise. */
const YIELDS_FOR_MS = 10 * MINUTE_MS
/** Attempts of an enterprise within a minute. They also bound the attempts that are kept: ten times as many. */
const MAX_PER_ENTERPRISE = 10
/** The rest is for accounts without an attempt within the last ten minutes. */
const MAX_FOR_REPEATERS = MAX_PER_ENTERPRISE / 2

const TRIED = 'Connections to other hosts and ports are tried'
const PER_ACCOUNT = `${TRIED} once a minute for an account`
const PER_ENTERPRISE = `${TRIED} ${MAX_PER_ENTERPRISE} times a minute for all accounts of an enterprise together`
const FOR_REPEATERS = `${PER_ENTERPRISE}, half of them for accounts that have not tried within the last ten minutes`

/** An attempt to connect to addresses that a user named. */
export interface ConnectionAttempt {
  readonly atMs: number
  readonly account: string
  /** Digest of all addresses that were tried together. */
  readonly list: string
  /** True once one of them has accepted a connection, and the answer says so. */
  isOpen: boolean
}

/**
 * Attempts of a process within the last ten minutes. An account has one per minute. An enterprise has ten per minute, so
 * that many accounts cannot explore the network together. Half of these are for accounts without a recent attempt.
 */
export class ConnectionAttempts {
  /** Attempts by enterprise, oldest first. The enterprise with the latest attempt comes last. */
  readonly #ofEnterprise = new Map<string, ConnectionAttempt[]>()

  /** Number of attempts that are kept. */
  get size(): number {
    return this.#ofEnterprise.values().reduce((size, attempts) => size + attempts.length, 0)
  }

  /**
   * Begins an attempt.
   *
   * @param list text of all addresses that are tried together
   * @returns a new attempt, or the open one of the account within the last minute for this list
   * @throws ApiError 429 with `retry-after`
   */
  begin({ account, enterprise }: Asker, list: string, nowMs: number): ConnectionAttempt {
    this.#forget(nowMs)
    const attempts = (this.#ofEnterprise.get(enterprise) ?? []).filter(isKept(nowMs))
    const attempt = { atMs: nowMs, account, list: hash('sha256', list), isOpen: false }
    const last = attempts.findLast(other => other.account === account)
    if (last !== undefined && nowMs - last.atMs < ATTEMPT_EVERY_MS) {
      // A successful attempt with a part of the list would reveal the place of the open address.
      if (last.isOpen && last.list === attempt.list) return last
      throw refusal(PER_ACCOUNT, last, nowMs)
    }
    const most = last === undefined ? MAX_PER_ENTERPRISE : MAX_FOR_REPEATERS
    const oldest = attempts.at(-most)
    if (oldest !== undefined && nowMs - oldest.atMs < ATTEMPT_EVERY_MS)
      throw refusal(last === undefined ? PER_ENTERPRISE : FOR_REPEATERS, oldest, nowMs)
    attempts.push(attempt)
    this.#ofEnterprise.delete(enterprise)
    this.#ofEnterprise.set(enterprise, attempts)
    return attempt
  }

  #forget(nowMs: number): void {
    for (const [enterprise, attempts] of this.#ofEnterprise) {
      if (attempts.some(isKept(nowMs))) return
      this.#ofEnterprise.delete(enterprise)
    }
  }
}

function isKept(nowMs: number) {
  return ({ atMs }: ConnectionAttempt) => nowMs - atMs < YIELDS_FOR_MS
}

/** @param attempt has to be a minute old before another one is allowed */
function refusal(message: string, attempt: ConnectionAttempt, nowMs: number) {
  return tooManyRequests(message, Math.ceil((attempt.atMs + ATTEMPT_EVERY_MS - nowMs) / 1_000))
}
