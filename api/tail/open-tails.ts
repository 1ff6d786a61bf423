import type { FastifyRequest } from 'fastify'
import { LogError } from '../../engine/log/log.ts'
import type { LiveTails } from '../../engine/replay/tail/live-tails.ts'
import { accessScopeOf } from '../auth/access-scope.ts'
import { LastingRights, type LastingRightsPorts } from '../auth/lasting-rights.ts'
import { accountOf } from '../auth/permission.ts'
import { ApiError, unavailable } from '../http/errors.ts'
import { Tail } from './tail.ts'
import { readTail } from './tail-request.ts'

/** Time until a place may be free again. */
const RETRY_AFTER_S = 5

export interface TailLimits {
  readonly perProcess: number
  readonly perAccount: number
}

export interface OpenTailsPorts extends LastingRightsPorts {
  readonly tails: LiveTails
  readonly limits: TailLimits
}

/** The open tails of this process. */
export class OpenTails {
  /** Lines since the start. */
  readonly counts = { sent: 0, dropped: 0 }
  readonly #ports: OpenTailsPorts
  /** Open tails with their accounts. */
  readonly #open = new Map<Tail, string>()

  constructor(ports: OpenTailsPorts) {
    this.#ports = ports
  }

  /** Number of open tails. */
  get count(): number {
    return this.#open.size
  }

  /**
   * Opens a tail for a request that wants to become a WebSocket. From then on it collects lines.
   *
   * @throws ApiError 400, 429, 503
   */
  async admit(request: FastifyRequest): Promise<Tail> {
    const wishes = readTail(request)
    const account = accountOf(request.caller).shortId
    this.#assertRoom(account)
    const { configuration, clock } = this.#ports
    const scope = accessScopeOf(configuration, request.caller)
    const rights = new LastingRights(request, this.#ports)
    const tail = new Tail(wishes, { scope }, { clock, rights, counts: this.counts })
    this.#open.set(tail, account)
    tail.signal.addEventListener('abort', () => this.#open.delete(tail), { once: true })
    request.raw.socket.once('close', () => tail.leave())
    await this.#listen(account, tail)
    return tail
  }

  /** Ends all tails, because the process stops. */
  stop(): void {
    for (const tail of [...this.#open.keys()]) tail.end('stopped')
  }

  async #listen(account: string, tail: Tail): Promise<void> {
    try {
      await this.#ports.tails.open(account, tail, tail.signal)
    } catch (error) {
      tail.leave()
      if (!(error instanceof LogError)) throw error
      throw unavailable('The log cannot be read at the moment')
    }
  }

  #assertRoom(account: string): void {
    const { perProcess, perAccount } = this.#ports.limits
    if (this.#open.size >= perProcess) throw tooMany(`This process has ${perProcess} tails open`)
    const ofAccount = [...this.#open.values()].filter(other => other === account).length
    if (ofAccount >= perAccount) throw tooMany(`The account has ${perAccount} tails open in this process`)
  }
}

function tooMany(sentence: string): ApiError {
  return new ApiError(429, 'TooManyRequests', `${sentence}: close one of them first`, {
    headers: { 'retry-after': String(RETRY_AFTER_S) },
  })
}
