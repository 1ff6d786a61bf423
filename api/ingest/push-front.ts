import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import type { LineRouting } from '../../engine/configuration/kinds/line-routing.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import type { RequestFacts } from '../../engine/lines/line-batch-builder.ts'
import { LogError } from '../../engine/log/log.ts'
import {
  DecodingError,
  decodedMessages,
  type HttpDecoding,
  TooManyEventsError,
} from '../../engine/nodes/sources/http/http-decoding.ts'
import { RECORD_BYTES } from '../../schemas/log/record-size.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import type { Caller } from '../auth/caller.ts'
import { authHeaders } from '../auth/headers.ts'
import { ApiError, forbidden, payloadTooLarge, unavailable } from '../http/errors.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { AccessKeys } from './access-keys.ts'
import type { RawBody } from './body.ts'
import type { ByteBudget } from './byte-budget.ts'
import { contentCodingsOf, decodedContent } from './content-codings.ts'
import type { GatewayRouteState, GatewayRouteStates } from './gateway-route-states.ts'
import type { IngestWriter, LineDestination } from './ingest-writer.ts'
import { requestMetadata } from './request-metadata.ts'

/** A body may become ten times as large as it may be sent: components, section 6.1. */
const GROWTH = 10
/** What becomes more than this many times as large is rare: it is decompressed a second time, with room for all of it. */
const LIKELY_GROWTH = 32
/** Of a body that is refused, for the error record: components, section 6.1. */
const CAPTURED_BYTES = 16 * 1024
/** What a record holds of an event beside its text, about. */
const ROW_BYTES = 10
/** While a pipeline is paused, senders keep their data. */
const PAUSED_RETRY_S = 10

export interface PushFrontOptions {
  readonly writer: IngestWriter
  readonly partitionOf: LineRouting
  readonly accessKeys: AccessKeys
  readonly routes: GatewayRouteStates
  readonly clock: Clock
  /** Of a body as it is sent. */
  readonly bodyLimitBytes: number
  readonly observer?: PushObserver | undefined
  /** Absent: senders may ask as often as they like. */
  readonly rateLimit?: RateLimit | undefined
}

/** Told about every request that is answered for what it holds. */
export interface PushObserver {
  /** Its events are durable. @param request `bytes` are those of the body, decompressed */
  accepted(request: { readonly events: number; readonly bytes: number }): void
  /** Its body could not be read. @param code of the error */
  refused(code: string): void
}

type Running = GatewayRouteState & { readonly kind: 'runs' }

/** From a request to the address of a gateway route to durable events and the answer: components, section 6.1. */
export class PushFront {
  readonly #options: PushFrontOptions
  readonly #inflating: ByteBudget

  /** @param inflating bounds what is being decompressed beside what is being received */
  constructor(options: PushFrontOptions, inflating: ByteBudget) {
    this.#options = options
    this.#inflating = inflating
  }

  /**
   * Before the body is read.
   *
   * @throws ApiError 401, 403, 404, 409, 429, 503
   */
  authenticateEarly(request: FastifyRequest, reply: FastifyReply): void {
    const caller = this.#authenticated(request, reply)
    request.pushed = { ...request.pushed, caller }
    this.#options.rateLimit?.take(caller.credential.id)
    this.#stateOf(request, caller)
  }

  async take(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const body = await this.#contentOf(request)
    // Once more: a body may take minutes, and a key that is deleted, or a pipeline that is paused meanwhile, ends at once.
    const caller = this.#authenticated(request, reply)
    const { source, capturesMetadata, readers } = await this.#running(request, caller)
    const messages = this.#decoded(request, caller, body, source)
    if (messages.length > 0) {
      await this.#append(request, caller, messages, capturesMetadata)
      // What was on its way when the pipeline was paused may have come too late for it: the sender repeats it.
      const after = this.#options.routes.stateOf(caller.account?.shortId ?? '', request.pushed.route)
      if (after.kind !== 'runs' || !readers.some(pipeline => after.readers.includes(pipeline)))
        throw changedMeanwhile()
    }
    this.#options.observer?.accepted({ events: messages.length, bytes: body.length })
    return reply.send({ status: 'ok' })
  }

  #authenticated(request: FastifyRequest, reply: FastifyReply): Caller {
    const { authorization, apikey } = request.headers
    const caller = this.#options.accessKeys.callerOf(request.pushed.route, { authorization, apikey })
    reply.headers(authHeaders(caller))
    if (caller.account?.ingestionSuspended === true)
      throw forbidden('Ingestion is suspended for this account')
    return caller
  }

  /** Nothing has been taken when it throws. @throws ApiError 409, 503 */
  async #running(request: FastifyRequest, caller: Caller): Promise<Running> {
    const state = this.#stateOf(request, caller)
    if (state.kind === 'runs') return state
    try {
      await this.#options.routes.tell(caller.account?.shortId ?? '', request.pushed.route)
    } catch (error) {
      if (!(error instanceof LogError)) throw error
      throw notYetStarted()
    }
    const told = this.#stateOf(request, caller)
    if (told.kind === 'runs') return told
    throw notYetStarted()
  }

  /** @throws ApiError 409, 503 */
  #stateOf(
    { pushed }: FastifyRequest,
    { account }: Caller,
  ): GatewayRouteState & { readonly kind: 'runs' | 'untold' } {
    const state = this.#options.routes.stateOf(account?.shortId ?? '', pushed.route)
    switch (state.kind) {
      case 'runs':
      case 'untold':
        return state
      case 'paused':
        throw unavailable('The pipelines that read this address are paused', PAUSED_RETRY_S)
      case 'coming':
        throw notYetStarted()
      default:
        throw new ApiError(409, 'NotDeployed', 'No deployed pipeline reads this address')
    }
  }

  /** @throws ApiError 400, 413, 415, 503 */
  async #contentOf({ body, headers }: FastifyRequest): Promise<Buffer> {
    const received = body as RawBody | ApiError | undefined
    if (received instanceof ApiError) throw received
    const codings = contentCodingsOf(headers)
    const bytes = received === undefined ? Buffer.alloc(0) : Buffer.concat(received.chunks)
    if (codings.length === 0 || bytes.length === 0) return bytes
    const limitBytes = GROWTH * this.#options.bodyLimitBytes
    const likelyBytes = Math.min(LIKELY_GROWTH * bytes.length, limitBytes)
    try {
      return await this.#inflated(bytes, codings, likelyBytes)
    } catch (error) {
      if (likelyBytes === limitBytes || !(error instanceof ApiError && error.status === 413)) throw error
      return await this.#inflated(bytes, codings, limitBytes)
    }
  }

  /** @throws ApiError 400, 413, 503 */
  async #inflated(
    bytes: Buffer,
    codings: ReturnType<typeof contentCodingsOf>,
    limitBytes: number,
  ): Promise<Buffer> {
    if (!this.#inflating.take(limitBytes))
      throw unavailable('Too many requests are being received at once', 1)
    try {
      return await decodedContent(bytes, codings, limitBytes)
    } finally {
      this.#inflating.give(limitBytes)
    }
  }

  /** @throws ApiError 400, 413 */
  #decoded(request: FastifyRequest, caller: Caller, body: Buffer, { user_config }: NodeDocument): string[] {
    const { decoding = 'auto' } = user_config as { readonly decoding?: HttpDecoding }
    try {
      return decodedMessages(body, decoding, GROWTH * this.#options.bodyLimitBytes)
    } catch (error) {
      if (error instanceof TooManyEventsError) throw payloadTooLarge()
      if (!(error instanceof DecodingError)) throw error
      this.#options.observer?.refused(error.code)
      void this.#noteRefusal(request, caller, body, error)
      throw new ApiError(400, error.code, error.message, { cause: error })
    }
  }

  /** The fold makes the error record, so that there is one also after a crash. Nobody waits for it. */
  async #noteRefusal(
    request: FastifyRequest,
    caller: Caller,
    body: Buffer,
    { code, field, message }: DecodingError,
  ): Promise<void> {
    const refusal = jsonText({ code, field, message })
    const captured = jsonText(body.toString('utf8', 0, CAPTURED_BYTES))
    const { writer, clock } = this.#options
    try {
      await writer.append(this.#destination(request, caller), captured.length, batch => {
        const facts = factsOf(request, clock.wallMs(), '')
        batch.addEvent(captured, facts.receivedAtMs, refusal)
        return { facts }
      })
    } catch (error) {
      // The sender has its answer; a log that takes nothing says so by itself.
      if (!(error instanceof ApiError)) throw error
    }
  }

  /** All in order; in several records when one would be too large. @throws ApiError 413, 503 */
  async #append(
    request: FastifyRequest,
    caller: Caller,
    messages: readonly string[],
    captures: boolean,
  ): Promise<void> {
    const { writer, clock } = this.#options
    const destination = this.#destination(request, caller)
    const metadata = captures ? metadataOf(request) : ''
    const facts = factsOf(request, clock.wallMs(), metadata)
    const pieces = piecesOf(messages, this.#options.bodyLimitBytes)
    await Promise.all(
      pieces.map(async ({ first, end, bytes }) =>
        writer.append(destination, bytes + metadata.length, batch => {
          for (let index = first; index < end; index++)
            batch.addEvent(messages[index] as string, facts.receivedAtMs)
          return { facts }
        }),
      ),
    )
  }

  #destination({ pushed }: FastifyRequest, caller: Caller): LineDestination {
    const account = caller.account?.shortId ?? ''
    const partition = this.#options.partitionOf({ account, hostname: undefined, key: '' })
    return { account, route: pushed.route, partition }
  }
}

function metadataOf({ raw, ip, headers, pushed }: FastifyRequest): string {
  const forwardedFor = [headers['x-forwarded-for'] ?? []].flat().join(', ')
  return requestMetadata({ raw, ip, forwardedFor, suffix: pushed.suffix })
}

/** @param metadata JSON text; empty: none */
function factsOf({ ip }: FastifyRequest, receivedAtMs: number, metadata: string): RequestFacts {
  return {
    hostname: metadata,
    mac: '',
    ip: '',
    remoteAddress: ip,
    tags: [],
    receivedAtMs,
    driftMs: null,
    idempotency: null,
  }
}

interface Piece {
  readonly first: number
  readonly end: number
  readonly bytes: number
}

/**
 * Events that go into one record each. A single event is no larger than a body may be sent: what becomes of it on its way
 * has to fit into a record, too. (Our choice.)
 *
 * @throws ApiError 413
 */
function piecesOf(messages: readonly string[], maxEventBytes: number): Piece[] {
  const pieces: Piece[] = []
  let first = 0
  let bytes = 0
  for (const [index, message] of messages.entries()) {
    const textBytes = Buffer.byteLength(message)
    if (textBytes > maxEventBytes) throw payloadTooLarge()
    const size = textBytes + ROW_BYTES
    if (bytes > 0 && bytes + size > RECORD_BYTES) {
      pieces.push({ first, end: index, bytes })
      first = index
      bytes = 0
    }
    bytes += size
  }
  pieces.push({ first, end: messages.length, bytes })
  return pieces
}

function notYetStarted(): ApiError {
  return unavailable('The pipeline that reads this address is about to start', 1)
}

function changedMeanwhile(): ApiError {
  return unavailable('What reads this address changed while the request was taken: send it once more', 1)
}
