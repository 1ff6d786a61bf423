import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../../../engine/clock/clock.ts'
import type { Asker } from '../../../engine/turns/asker.ts'
import { ApiError, badRequest, payloadTooLarge, unavailable } from '../errors.ts'
import { type BodyRoom, holderOf } from './body-room.ts'
import { JoinedChunks } from './joined-chunks.ts'
import { type ArrivingBody, SlowBodies } from './slow-bodies.ts'

/** A smaller chunk counts as this many bytes, because each chunk costs time and memory, however small it is. */
const MIN_CHUNK_BYTES = 256

/** A request body as it came, before decompression. */
export interface RawBody {
  readonly chunks: readonly Buffer[]
  readonly bytes: number
}

export interface ReceivedBodiesOptions {
  readonly clock: Clock
  /** Limit of a body as sent; the padding of its small chunks has the same limit. */
  readonly limitBytes: number
  /** Memory of all bodies that are being received. */
  readonly room: BodyRoom
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Bodies of the API; ingestion has its own. */
    receivedBodies: ReceivedBodies
  }
}

/** Collects the bodies of requests within bounds on memory and time. */
export class ReceivedBodies {
  readonly #options: ReceivedBodiesOptions
  readonly #slow: SlowBodies

  constructor(options: ReceivedBodiesOptions) {
    this.#options = options
    this.#slow = new SlowBodies(options.clock)
  }

  /** Stops to look for slow bodies when a server closes. */
  closeWith(app: FastifyInstance): void {
    app.addHook('preClose', async () => this.#slow.close())
  }

  /**
   * Collects a request body. A refusal is a value and not an exception: an exception in a content-type parser makes fastify
   * close the connection. That connection is usable again once the rest of the body was read behind the answer.
   *
   * @param holder those for whom the sender sends, or STRANGERS
   * @param done is called exactly once: with the body, or with the ApiError (413, 408, 400, 503) to answer with
   */
  collect(
    stream: Readable,
    headers: IncomingHttpHeaders,
    holder: Asker,
    done: (body: RawBody | ApiError) => void,
  ): void {
    const { limitBytes, room } = this.#options
    const body = new ReceivedBody(limitBytes, room, holder, result => {
      this.#slow.forget(body)
      done(result)
    })
    this.#slow.watch(body)
    stream.on('data', (chunk: Buffer) => body.add(chunk))
    stream.on('end', () => body.end())
    const broken = () => body.refuse(endedEarly)
    stream.on('error', broken)
    stream.on('close', broken)
    // The size is known before the first byte, so the answer is sent at once, and the body is read afterwards.
    if (Number(headers['content-length']) > limitBytes) body.refuse(payloadTooLarge)
  }

  /** Lets a scope read every body as one buffer, whatever its content type. */
  parseAll(app: FastifyInstance, parse: (request: FastifyRequest, body: Buffer) => Promise<unknown>): void {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) =>
      parse(request, await this.#whole(request, payload)),
    )
  }

  /** @throws ApiError 413, 408, 400, 503 */
  async #whole({ headers, caller }: FastifyRequest, payload: Readable): Promise<Buffer> {
    // A path that does not exist has no caller.
    const holder = holderOf(caller)
    const body = await new Promise<RawBody | ApiError>(resolve =>
      this.collect(payload, headers, holder, resolve),
    )
    if (body instanceof ApiError) throw body
    const announced = headers['content-length']
    if (announced !== undefined && Number(announced) !== body.bytes) throw endedEarly()
    return Buffer.concat(body.chunks)
  }
}

class ReceivedBody implements ArrivingBody {
  readonly #limitBytes: number
  readonly #room: BodyRoom
  readonly #holder: Asker
  readonly #done: (body: RawBody | ApiError) => void
  #chunks: JoinedChunks | undefined = new JoinedChunks()
  #bytes = 0
  /** Bytes that small chunks count for beyond their own. */
  #paddingBytes = 0

  constructor(limitBytes: number, room: BodyRoom, holder: Asker, done: (body: RawBody | ApiError) => void) {
    this.#limitBytes = limitBytes
    this.#room = room
    this.#holder = holder
    this.#done = done
  }

  get bytes(): number {
    return this.#bytes
  }

  add(chunk: Buffer): void {
    if (this.#chunks === undefined) return
    const paddingBytes = Math.max(0, MIN_CHUNK_BYTES - chunk.length)
    const isTooLarge =
      this.#bytes + chunk.length > this.#limitBytes || this.#paddingBytes + paddingBytes > this.#limitBytes
    if (isTooLarge) {
      this.refuse(payloadTooLarge)
    } else if (this.#room.take(this.#holder, chunk.length + paddingBytes)) {
      this.#bytes += chunk.length
      this.#paddingBytes += paddingBytes
      this.#chunks.add(chunk)
    } else {
      this.refuse(() => unavailable('Too many requests are being received at once', 1))
    }
  }

  end(): void {
    if (this.#chunks === undefined) return
    const chunks = this.#chunks.buffers()
    this.#over()
    this.#done({ chunks, bytes: this.#bytes })
  }

  refuse(error: () => ApiError): void {
    if (this.#chunks === undefined) return
    this.#over()
    this.#done(error())
  }

  refuseSlow(): void {
    this.refuse(() => new ApiError(408, 'RequestTimeout', 'The request was not completed in time'))
  }

  #over(): void {
    this.#chunks = undefined
    this.#room.give(this.#holder, this.#bytes + this.#paddingBytes)
  }
}

function endedEarly(): ApiError {
  return badRequest([{ message: 'The request ended before its body did', key: 'body' }])
}
