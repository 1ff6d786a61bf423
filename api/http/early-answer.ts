import type { IncomingMessage } from 'node:http'
import { finished, Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import { MINUTE_MS } from '../../engine/times/duration.ts'
import { isUpgrade } from './web-sockets.ts'

/** Bytes of a request that are read and discarded after its answer. */
const DISCARD_LIMIT_BYTES = 64 * 1024 * 1024
/** A smaller chunk counts as this many bytes, because each chunk takes time. */
const DISCARDED_CHUNK_BYTES = 4096
/** Time for the sender of the discarded rest. */
const DISCARD_WITHIN_MS = MINUTE_MS

/**
 * Lets senders read an answer before their request has ended, for instance a refusal. Many senders write the whole body
 * before they read. If the connection were closed in the meantime, they would see a broken connection, and the answer
 * would be lost.
 *
 * The answer is sent at once. The rest of the request is then read and discarded, within bounds. Only after that the
 * connection closes, or is free for the next request.
 */
export class EarlyAnswers {
  readonly #clock: Clock
  readonly #turns = new DiscardTurns()
  readonly #closing = new AbortController()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Handles all answers of a server that its hooks see. */
  attach(app: FastifyInstance): void {
    app.addHook('preClose', async () => this.#closing.abort())
    app.addHook('onSend', async (_request, reply, payload) =>
      typeof payload === 'string' ? this.lasting(reply, payload) : payload,
    )
  }

  /** The text of an answer for sending. It has no end as long as the request is not complete. */
  lasting(reply: FastifyReply, text: string): string | Readable {
    const { raw } = reply.request
    // A request without a connection is neither complete nor incomplete.
    if (raw.complete !== false || isUpgrade(raw)) return text
    reply.header('content-length', Buffer.byteLength(text))
    return Readable.from(this.#endingBehind(text, raw))
  }

  async *#endingBehind(text: string, request: IncomingMessage): AsyncGenerator<string> {
    yield text
    await this.#discard(request)
  }

  /** Reads a request to its end; one that goes beyond the bounds loses its connection. */
  async #discard(request: IncomingMessage): Promise<void> {
    const over = new AbortController()
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += Math.max(chunk.length, DISCARDED_CHUNK_BYTES)
      if (bytes > DISCARD_LIMIT_BYTES) request.destroy()
      else this.#turns.wait(request)
    })
    finished(request, { writable: false }, () => over.abort())
    request.resume()
    const enough = AbortSignal.any([over.signal, this.#closing.signal])
    await this.#clock.sleep(DISCARD_WITHIN_MS, enough)
    if (!enough.aborted) request.destroy()
  }
}

/**
 * Lets one discarded chunk of all requests be read per turn of the event loop. Otherwise some dozen senders that need no
 * credential, each with megabytes in the buffers of its connection, would take all turns, and everybody else would wait.
 */
class DiscardTurns {
  readonly #waiting: IncomingMessage[] = []
  #isRunning = false

  /** Pauses a request until its turn. */
  wait(request: IncomingMessage): void {
    request.pause()
    this.#waiting.push(request)
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await setImmediate()
      next.resume()
    }
    this.#isRunning = false
  }
}
