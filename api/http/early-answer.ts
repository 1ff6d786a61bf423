import type { IncomingMessage } from 'node:http'
import { finished, Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import { isUpgrade } from './web-sockets.ts'

/** How much of a request is read and thrown away behind its answer. */
const DISCARD_LIMIT_BYTES = 64 * 1024 * 1024
/** What its sender may take for it. */
const DISCARD_WITHIN_MS = 60_000

/**
 * Lets senders see an answer that is there before their request has come to its end, as refusals are. Many write all
 * of a body before they read: a connection that is closed meanwhile is a broken one to them, and the answer is lost.
 *
 * The answer goes out at once and whole. Then the rest of the request is read and thrown away, within bounds; only
 * behind it the connection closes, or is free for the next request.
 */
export class EarlyAnswers {
  readonly #clock: Clock
  readonly #closing = new AbortController()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Sees to all answers of a server that its hooks see. */
  attach(app: FastifyInstance): void {
    app.addHook('preClose', async () => this.#closing.abort())
    app.addHook('onSend', async (_request, reply, payload) =>
      typeof payload === 'string' ? this.lasting(reply, payload) : payload,
    )
  }

  /** An answer's text, to be sent; as long as the request is not over it has no end. */
  lasting(reply: FastifyReply, text: string): string | Readable {
    const { raw } = reply.request
    // What comes from no connection is neither complete nor incomplete.
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
      bytes += chunk.length
      if (bytes > DISCARD_LIMIT_BYTES) request.destroy()
    })
    finished(request, { writable: false }, () => over.abort())
    request.resume()
    const enough = AbortSignal.any([over.signal, this.#closing.signal])
    await this.#clock.sleep(DISCARD_WITHIN_MS, enough)
    if (!enough.aborted) request.destroy()
  }
}
