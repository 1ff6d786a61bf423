import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { type Dice, newDice } from '../support/dice.ts'
import type { SentRequest } from './sent-request.ts'
import { bodyOf, Traffic } from './traffic.ts'

const MAX_PAUSE_MS = 80
const RETRY_PAUSE_MS = 40
/** Time after which an unanswered request means that the program does not come back. */
const PATIENCE_MS = 120_000
const GZIPPED = 0.3
/** Share of requests with an unknown outcome of the first attempt whose sender dies, too. */
const ABANDONED = 0.15

export interface ConnectionOptions {
  readonly connection: number
  readonly seed: number
  readonly ingestUrl: string
  readonly ingestionKey: string
  /** Time for which the connection waits for an answer. */
  readonly patienceMs: number
}

/** Outcome of one attempt. `absent`: nothing was sent, because the program did not listen. */
type Attempt = { readonly status: number; readonly text: string } | 'unknown' | 'absent'

/** Receives answers that the interface does not define for the sent requests. */
export type UnexpectedAnswer = (request: SentRequest, what: string) => void

/** A sender as the specification wants it: one request after the other, and the same one again until it has its 200. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #traffic: Traffic
  readonly #dice: Dice
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  #isClosed = false
  /** Attempts that had no known outcome. */
  retries = 0

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#traffic = new Traffic(options.seed, options.connection)
    this.#dice = newDice(options.seed * 1_000 + 500 + options.connection)
  }

  /** Makes the next request and delivers it. */
  async shipOne(
    host: string,
    begun: (request: SentRequest) => void,
    odd: UnexpectedAnswer,
  ): Promise<SentRequest> {
    const request = this.#traffic.next(host)
    begun(request)
    await this.#deliver(request, odd)
    return request
  }

  async pause(): Promise<void> {
    await delay(this.#dice.below(MAX_PAUSE_MS))
  }

  /** Gives up the request that is under way. */
  close(): void {
    this.#isClosed = true
    this.#agent.destroy()
  }

  async #deliver(request: SentRequest, odd: UnexpectedAnswer): Promise<void> {
    const isGzipped = this.#dice.chance(GZIPPED)
    const willBeAbandoned = this.#dice.chance(ABANDONED)
    const plain = Buffer.from(bodyOf(request))
    const body = isGzipped ? gzipSync(plain) : plain
    const untilMs = performance.now() + PATIENCE_MS
    while (request.outcome === 'open') {
      if (this.#isClosed) request.outcome = 'refused'
      const attempt = await this.#attempt(request, body, isGzipped)
      if (attempt !== 'absent') request.attempts++
      if (typeof attempt === 'object' && attempt.status !== 503) {
        request.outcome = attempt.status === 200 ? 'acknowledged' : 'refused'
        if (attempt.status !== 200) odd(request, `was answered ${attempt.status} ${attempt.text}`)
        return
      }
      if (performance.now() > untilMs) {
        request.outcome = 'refused'
        return odd(request, `was not taken by anybody within ${PATIENCE_MS / 1000} s`)
      }
      if (attempt === 'unknown') {
        this.retries++
        if (willBeAbandoned) request.outcome = 'abandoned'
      }
      await delay(RETRY_PAUSE_MS)
    }
  }

  #attempt({ host, idempotencyKey }: SentRequest, body: Buffer, isGzipped: boolean): Promise<Attempt> {
    const { ingestUrl, ingestionKey, patienceMs } = this.#options
    return new Promise(resolve => {
      const outgoing = httpRequest(`${ingestUrl}/logs/ingest?hostname=${host}`, {
        method: 'POST',
        agent: this.#agent,
        headers: {
          apikey: ingestionKey,
          'content-type': 'application/json',
          'content-length': body.length,
          ...(isGzipped && { 'content-encoding': 'gzip' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        signal: AbortSignal.timeout(patienceMs),
      })
      outgoing.on('response', response => {
        let text = ''
        response.setEncoding('utf8').on('data', chunk => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', () => resolve('unknown'))
      })
      outgoing.on('error', error => {
        const { code } = error as NodeJS.ErrnoException
        resolve(code === 'ECONNREFUSED' ? 'absent' : 'unknown')
      })
      outgoing.end(body)
    })
  }
}
