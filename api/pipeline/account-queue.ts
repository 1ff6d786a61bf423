import type { FastifyReply } from 'fastify'
import type { Asker } from '../../engine/turns/asker.ts'
import { FairPlaces } from '../../engine/turns/fair-places.ts'
import { tooManyRequests } from '../http/rate-limit.ts'

const MAX_RUNNING = 2
const MAX_WAITING_PER_ACCOUNT = 20

/** Order of long work in a process. Two pieces run at once, of different accounts; the others wait for their turn. */
export class AccountQueue {
  readonly #what: string
  readonly #places = new FairPlaces(MAX_RUNNING, 1)

  /** @param what name of the work in the plural, for people */
  constructor(what: string) {
    this.#what = what
  }

  /**
   * Does the work when it is its turn.
   *
   * @param gone aborted when the client has left: work that waits then gives its place back
   * @throws ApiError 429 when too much work of the account waits; the reason of `gone` before its turn
   */
  async run<Result>(asker: Asker, gone: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    gone.throwIfAborted()
    if (this.#places.waitingOf(asker) >= MAX_WAITING_PER_ACCOUNT)
      throw tooManyRequests(`${MAX_WAITING_PER_ACCOUNT} ${this.#what} of the account wait already`, 1)
    const leave = await this.#places.take(asker, gone)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

/**
 * Answers by work that ends early when the client leaves. Nobody receives an answer then, so the reply is given up.
 *
 * @param work makes the whole answer: nothing may follow it
 */
export async function whileConnected<Result>(
  reply: FastifyReply,
  work: (gone: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  try {
    return await work(gone.signal)
  } catch (error) {
    if (!gone.signal.aborted) throw error
    return reply.hijack() as never
  }
}
