import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { BackOff } from '../../../engine/clock/back-off.ts'
import { MINUTE_MS } from '../../../engine/times/duration.ts'
import { certificateSentence, networkCode, noAnswer, refusal } from '../api-client.ts'
import { CommandError, EXIT } from '../command-error.ts'
import type { Address } from '../connection.ts'
import type { World } from '../world.ts'

const compress = promisify(gzip)

const ACCESS_TOKEN = /^st[a-z]_[0-9a-f]{40}$/
const ATTEMPT_TIMEOUT_MS = MINUTE_MS
const PAUSES = { firstMs: 250, longestMs: 30_000 }
/** A longer retry-after is cut to this. */
const LONGEST_RETRY_AFTER_MS = 300_000
/** Time for an outstanding request after the program was asked to stop. */
const STOP_GRACE_MS = 5_000

/** Statuses that are retried in addition to 5xx. */
const RETRIED = new Set([408, 429])
/** Statuses that no later batch can avoid: wrong key, wrong address, missing rights. */
const FATAL = new Set([301, 302, 303, 307, 308, 401, 403, 404, 405])

export interface Request {
  readonly body: string
  readonly lines: number
  /** `<stream>/<number>`: decisions, section 3. The same key always carries the same bytes. */
  readonly idempotencyKey: string
  readonly host: string
  readonly tags: string | undefined
}

export type Reply =
  | { readonly kind: 'taken'; readonly refused: number }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'key-conflict'; readonly sentence: string }
  /** The request as a whole is wrong, and nothing of it was stored: the next one would fail as well. */
  | { readonly kind: 'refused'; readonly sentence: string }

/** The program was asked to stop before the outcome of a request was known. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

export interface DeliveryOptions {
  readonly address: Address
  readonly world: World
  /** Time for which one batch is retried; Infinity: forever. */
  readonly retryForMs: number
  readonly onRetry?: (reason: string, pauseMs: number) => void
}

/** Sends batches, each until the service has given a final answer: ingestion, section 1.5, "host agent". */
export class Delivery {
  readonly #options: DeliveryOptions
  /** Whether the service has ever answered. */
  #wasReached = false
  readonly #grace = new AbortController()
  readonly #closed = new AbortController()

  constructor(options: DeliveryOptions) {
    this.#options = options
    const { stop, clock } = options.world
    const onStop = () => void clock.sleep(STOP_GRACE_MS, this.#closed.signal).then(() => this.#grace.abort())
    if (stop.aborted) onStop()
    else stop.addEventListener('abort', onStop, { once: true, signal: this.#closed.signal })
  }

  /** Stops watching for the stop of the program. It must be called after the last request. */
  close(): void {
    this.#closed.abort()
  }

  /**
   * @throws CommandError when the service refuses the credentials, or was unreachable for longer than `retryForMs`
   * @throws Stopped
   */
  async send(request: Request): Promise<Reply> {
    const { clock, entropy, stop } = this.#options.world
    const backOff = new BackOff(clock, PAUSES, entropy)
    // The fastest level: the network is rarely the bottleneck, and logs shrink tenfold at any level.
    const body = await compress(request.body, { level: constants.Z_BEST_SPEED })
    let firstFailureMs: number | undefined
    for (;;) {
      const outcome = await this.#attempt(request, body)
      if ('kind' in outcome) return outcome
      if (stop.aborted) throw new Stopped()
      this.#assertTrusted(outcome.error)
      firstFailureMs ??= clock.monotonicMs()
      const leftMs = this.#options.retryForMs - (clock.monotonicMs() - firstFailureMs)
      if (leftMs <= 0) throw this.#gaveUp(outcome.reason, outcome.error)
      const pauseMs = Math.min(leftMs, Math.max(backOff.nextMs(), outcome.retryAfterMs))
      this.#options.onRetry?.(outcome.reason, pauseMs)
      await clock.sleep(pauseMs, stop)
      if (stop.aborted) throw new Stopped()
    }
  }

  /** A certificate that was never valid is a matter of settings: waiting does not help. */
  #assertTrusted(error: unknown): void {
    const sentence = this.#wasReached ? undefined : certificateSentence(this.#options.address, error)
    if (sentence !== undefined) throw new CommandError(EXIT.unreachable, sentence, { cause: error })
  }

  async #attempt(request: Request, body: Buffer<ArrayBuffer>): Promise<Reply | Failure> {
    let status: number
    let text: string
    let retryAfter: string | null
    try {
      const response = await this.#post(request, body)
      this.#wasReached = true
      status = response.status
      retryAfter = response.headers.get('retry-after')
      text = await response.text()
    } catch (error) {
      if (this.#grace.signal.aborted) throw new Stopped()
      return { reason: networkCode(error), error, retryAfterMs: 0 }
    }
    if (status >= 500 || RETRIED.has(status)) {
      return { reason: `HTTP ${status}`, error: undefined, retryAfterMs: this.#retryAfterMs(retryAfter) }
    }
    return this.#finalReply(status, text, request)
  }

  #finalReply(status: number, text: string, request: Request): Reply {
    if (status === 207) return { kind: 'taken', refused: refusedLines(text, request.lines) }
    if (status >= 200 && status < 300) return { kind: 'taken', refused: 0 }
    if (status === 413) return { kind: 'too-large' }
    const error = refusal(status, text, this.#options.address)
    if (FATAL.has(status)) throw new CommandError(EXIT.unreachable, error.message, { cause: error })
    return { kind: status === 409 ? 'key-conflict' : 'refused', sentence: error.message }
  }

  #post(request: Request, body: Buffer<ArrayBuffer>): Promise<Response> {
    const { address, world } = this.#options
    const url = new URL(`${address.url}/logs/ingest`)
    url.searchParams.set('hostname', request.host)
    if (request.tags) url.searchParams.set('tags', request.tags)
    url.searchParams.set('now', String(world.clock.wallMs()))
    return fetch(url, {
      method: 'POST',
      headers: {
        ...credentialHeader(address.secret.value),
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'idempotency-key': request.idempotencyKey,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([this.#grace.signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]),
    })
  }

  /** Seconds or an HTTP date; 0 when absent or neither. */
  #retryAfterMs(header: string | null): number {
    if (!header) return 0
    const ms = /^\d+$/.test(header.trim())
      ? Number(header) * 1000
      : Date.parse(header) - this.#options.world.clock.wallMs()
    return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS) : 0
  }

  #gaveUp(reason: string, error: unknown): CommandError {
    const { address, retryForMs } = this.#options
    const tried = retryForMs > 0 ? ` Tried for ${Math.round(retryForMs / 1000)} s (--retry-for).` : ''
    if (error !== undefined) {
      return new CommandError(EXIT.unreachable, noAnswer(address, error).message + tried, { cause: error })
    }
    return new CommandError(EXIT.unreachable, `${address.url} does not accept lines now (${reason}).${tried}`)
  }
}

interface Failure {
  readonly reason: string
  readonly error: unknown
  readonly retryAfterMs: number
}

/** An ingestion key, or an access token that may ingest. */
function credentialHeader(secret: string): Record<string, string> {
  return ACCESS_TOKEN.test(secret) ? { authorization: `Token ${secret}` } : { apikey: secret }
}

function refusedLines(body: string, lines: number): number {
  try {
    const { status } = JSON.parse(body) as { status?: unknown }
    if (Array.isArray(status)) return status.filter(one => one !== 200).length
  } catch {
    // An unreadable answer only means that some lines were refused.
  }
  return lines
}
