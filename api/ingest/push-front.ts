import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import type { LineRouting } from '../../engine/configuration/kinds/line-routing.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import { FREE_PARTS, LEAST_PART_BYTES } from '../../engine/json/part-bytes.ts'
import type { RequestFacts } from '../../engine/lines/columns/line-batch-builder.ts'
import { LogError } from '../../engine/log/log.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import type { Accepted } from '../../engine/nodes/contract/define-push-source.ts'
import { COMMON_KEY_PLACES } from '../../engine/nodes/contract/key-place.ts'
import type { Refusal } from '../../engine/nodes/contract/refusal.ts'
import type { Steps } from '../../engine/steps.ts'
import type { Asker } from '../../engine/turns/asker.ts'
import { inTurns, LoopTurns } from '../../engine/turns/loop-turns.ts'
import { RECORD_BYTES, RECORD_ROWS } from '../../schemas/log/record-size.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import type { Caller } from '../auth/caller.ts'
import { authHeaders } from '../auth/headers.ts'
import { type BodyRoom, holderOf } from '../http/bodies/body-room.ts'
import type { RawBody } from '../http/bodies/received-bodies.ts'
import { ApiError, forbidden, payloadTooLarge, unavailable } from '../http/errors.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { AccessKeys } from './access-keys.ts'
import { contentCodingsOf, decodedContent } from './content-codings.ts'
import type { GatewayRouteState, GatewayRouteStates } from './gateway-route-states.ts'
import type { IngestWriter, LineDestination } from './ingest-writer.ts'
import { presentedKey } from './presented-key.ts'
import { RefusedBody, sendPushReply } from './push-failure.ts'
import { OpenHead, requestMetadata } from './request-metadata.ts'

/** Factor by which a decompressed body can exceed the limit of a sent one: components, section 6.1. */
const GROWTH = 10
/**
 * Usual bound on the growth of a body. A body that grows more is rare: it is decompressed again, with room for all of it.
 */
const LIKELY_GROWTH = 32
/** Sentence about a body whose bytes are within the limits, but whose events are too large by their parts, or too many. */
const TOO_MANY = `The body has too many events, or one that is too large: beyond the first ${FREE_PARTS} members, arrays and objects of an event, each counts ${LEAST_PART_BYTES} bytes`
/** Bytes of a refused body that its error record contains: components, section 6.1. */
const CAPTURED_BYTES = 16 * 1024
/** Approximate size of an event in a record, beyond its text. */
const ROW_BYTES = 10
/** Events that are measured in one step, a part of a millisecond. */
const EVENTS_OF_STEP = 4_096
/** Time to retry: while a pipeline is paused, senders keep their data. */
const PAUSED_RETRY_S = 10

export interface PushFrontOptions {
  readonly catalogue: Catalogue
  readonly writer: IngestWriter
  readonly partitionOf: LineRouting
  readonly accessKeys: AccessKeys
  readonly gatewayRoutes: GatewayRouteStates
  readonly clock: Clock
  /** Maximum size of a body as it is sent. */
  readonly bodyLimitBytes: number
  readonly observer?: PushObserver | undefined
  /** Absent: the number of requests is not limited. */
  readonly rateLimit?: RateLimit | undefined
}

/** Receives every request that is answered because of its content. */
export interface PushObserver {
  /** The events of a request are durable. @param request `bytes` are those of the body, decompressed */
  accepted(request: { readonly events: number; readonly bytes: number }): void
  /** The body of a request could not be read. @param code of the error */
  refused(code: string): void
}

type Running = GatewayRouteState & { readonly kind: 'runs' }

/** Turns requests to the address of a gateway route into durable events and answers them: components, section 6.1. */
export class PushFront {
  readonly #options: PushFrontOptions
  readonly #inflating: BodyRoom
  readonly #turns: LoopTurns

  /** @param inflating memory of the bodies that are being decompressed */
  constructor(options: PushFrontOptions, inflating: BodyRoom) {
    this.#options = options
    this.#inflating = inflating
    this.#turns = new LoopTurns(options.clock)
  }

  /**
   * Authenticates before the body is read.
   *
   * @throws ApiError 401, 403, 404, 409, 429, 503
   */
  authenticateEarly(request: FastifyRequest, reply: FastifyReply): void {
    request.pushed = this.#addressed(request)
    const caller = this.#authenticated(request, reply)
    request.pushed = { ...request.pushed, caller }
    this.#options.rateLimit?.take(caller.credential.id)
    this.#stateOf(request, caller)
  }

  async take(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const body = await this.#contentOf(request)
    // Checked again, because a body may take minutes: a deleted key, or a paused pipeline, takes effect at once.
    const caller = this.#authenticated(request, reply)
    const { source, capturesMetadata, readers } = await this.#running(request, caller)
    const { messages, reply: answer } = await this.#decoded(request, caller, body, source)
    const pieces = await inTurns(cutting(messages, this.#options.bodyLimitBytes), this.#turns.begin())
    // Checked again, because the turns of many bodies may take long.
    this.#authenticated(request, reply)
    if (messages.length > 0) {
      await this.#append(request, caller, messages, pieces, capturesMetadata)
      // Events that were under way when the pipeline was paused may have arrived too late for it: the sender repeats
      // them.
      const { gatewayRoutes } = this.#options
      if (!gatewayRoutes.isStillReadBy(caller.account?.shortId ?? '', request.pushed.gatewayRoute, readers))
        throw changedMeanwhile()
    }
    this.#options.observer?.accepted({ events: messages.length, bytes: body.length })
    return sendPushReply(reply, answer, 200)
  }

  /** Adds the source of the gateway route, in whose form the request is read and answered. */
  #addressed({ raw, pushed }: FastifyRequest): FastifyRequest['pushed'] {
    const { accessKeys, catalogue, clock } = this.#options
    const { type = '', keys = COMMON_KEY_PLACES } = accessKeys.sourceOf(pushed.gatewayRoute) ?? {}
    const source = catalogue.runningSourceOf(type)
    return {
      ...pushed,
      receivedAtMs: clock.wallMs(),
      source: source?.entrance === 'gateway' ? source : undefined,
      keys,
      key: presentedKey(raw, keys),
    }
  }

  #authenticated({ pushed }: FastifyRequest, reply: FastifyReply): Caller {
    const caller = this.#options.accessKeys.callerOf(pushed.gatewayRoute, pushed.key)
    reply.headers(authHeaders(caller))
    if (caller.account?.ingestionSuspended === true)
      throw forbidden('Ingestion is suspended for this account')
    return caller
  }

  /** Returns the readers of the gateway route, before anything is accepted. @throws ApiError 409, 503 */
  async #running(request: FastifyRequest, caller: Caller): Promise<Running> {
    const state = this.#stateOf(request, caller)
    if (state.kind === 'runs') return state
    try {
      await this.#options.gatewayRoutes.report(caller.account?.shortId ?? '', request.pushed.gatewayRoute)
    } catch (error) {
      if (!(error instanceof LogError)) throw error
      throw notYetStarted()
    }
    const reported = this.#stateOf(request, caller)
    if (reported.kind === 'runs') return reported
    throw notYetStarted()
  }

  /** @throws ApiError 409, 503 */
  #stateOf(
    { pushed }: FastifyRequest,
    { account }: Caller,
  ): GatewayRouteState & { readonly kind: 'runs' | 'unreported' } {
    const state = this.#options.gatewayRoutes.stateOf(account?.shortId ?? '', pushed.gatewayRoute)
    switch (state.kind) {
      case 'runs':
      case 'unreported':
        return state
      case 'paused':
        throw unavailable('The pipelines that read this address are paused', PAUSED_RETRY_S)
      case 'held':
        throw unavailable(
          'A pipeline that reads this address is paused: send the events later',
          PAUSED_RETRY_S,
        )
      case 'coming':
        throw notYetStarted()
      default:
        throw new ApiError(409, 'NotDeployed', 'No deployed pipeline reads this address')
    }
  }

  /** @throws ApiError 400, 413, 415, 503 */
  async #contentOf({ body, headers, pushed }: FastifyRequest): Promise<Buffer> {
    const received = body as RawBody | ApiError | undefined
    if (received instanceof ApiError) throw received
    const codings = contentCodingsOf(headers)
    const bytes = received === undefined ? Buffer.alloc(0) : Buffer.concat(received.chunks)
    if (codings.length === 0 || bytes.length === 0) return bytes
    const limitBytes = GROWTH * this.#options.bodyLimitBytes
    const holder = holderOf(pushed.caller)
    const likelyBytes = Math.min(LIKELY_GROWTH * bytes.length, limitBytes)
    try {
      return await this.#inflated(bytes, codings, likelyBytes, holder)
    } catch (error) {
      if (likelyBytes === limitBytes || !(error instanceof ApiError && error.status === 413)) throw error
      return await this.#inflated(bytes, codings, limitBytes, holder)
    }
  }

  /** @throws ApiError 400, 413, 503 */
  async #inflated(
    bytes: Buffer,
    codings: ReturnType<typeof contentCodingsOf>,
    limitBytes: number,
    holder: Asker,
  ): Promise<Buffer> {
    if (!this.#inflating.take(holder, limitBytes))
      throw unavailable('Too many requests are being received at once', 1)
    try {
      return await decodedContent(bytes, codings, limitBytes)
    } finally {
      this.#inflating.give(holder, limitBytes)
    }
  }

  /** Decodes a body in turns with other requests. @throws ApiError 400, 413 */
  async #decoded(
    request: FastifyRequest,
    caller: Caller,
    body: Buffer,
    { type, user_config }: NodeDocument,
  ): Promise<Accepted> {
    const source = this.#options.catalogue.runningSourceOf(type)
    if (source?.entrance !== 'gateway') throw new RangeError(`"${type}" is not a source of a gateway route`)
    const { bodyLimitBytes: eventLimitBytes } = this.#options
    const { raw, pushed } = request
    const head = new OpenHead({ raw, ...pushed }, pushed.receivedAtMs)
    const sent = { head, body, limitBytes: GROWTH * eventLimitBytes, eventLimitBytes }
    const decoded = await inTurns(source.decode(sent, user_config), this.#turns.begin())
    if ('messages' in decoded) return decoded
    if ('isTooMany' in decoded) throw payloadTooLarge(TOO_MANY)
    const { refusal } = decoded
    this.#options.observer?.refused(refusal.code)
    void this.#noteRefusal(request, caller, body, refusal)
    throw new RefusedBody(refusal)
  }

  /**
   * Notes a refusal on the log; the request does not wait for it. The fold makes the error record, so that it exists
   * after a crash, too.
   */
  async #noteRefusal(
    request: FastifyRequest,
    caller: Caller,
    body: Buffer,
    { code, field, message }: Refusal,
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
      // The sender has its answer, and a log that accepts nothing reports this itself.
      if (!(error instanceof ApiError)) throw error
    }
  }

  /** Appends all events in order, a record for each piece. @throws ApiError 413, 503 */
  async #append(
    request: FastifyRequest,
    caller: Caller,
    messages: readonly string[],
    pieces: readonly Piece[],
    captures: boolean,
  ): Promise<void> {
    const { writer, clock } = this.#options
    const destination = this.#destination(request, caller)
    const metadata = captures ? metadataOf(request) : ''
    const facts = factsOf(request, clock.wallMs(), metadata)
    await Promise.all(
      pieces.map(async ({ first, end, bytes }) => {
        // Each further record has a turn of its own; turns come in the order in which they were asked for.
        if (first > 0) await this.#turns.begin().rest()
        return writer.append(destination, bytes + metadata.length, batch => {
          for (let index = first; index < end; index++)
            batch.addEvent(messages[index] as string, facts.receivedAtMs)
          return { facts }
        })
      }),
    )
  }

  #destination({ pushed }: FastifyRequest, caller: Caller): LineDestination {
    const account = caller.account?.shortId ?? ''
    const partition = this.#options.partitionOf({ account, hostname: undefined, key: '' })
    return { account, entrance: pushed.gatewayRoute, partition }
  }
}

function metadataOf({ raw, headers, pushed }: FastifyRequest): string {
  const forwardedFor = [headers['x-forwarded-for'] ?? []].flat().join(', ')
  return requestMetadata({ raw, forwardedFor, ...pushed })
}

/** @param metadata JSON text; empty: none */
function factsOf({ pushed }: FastifyRequest, receivedAtMs: number, metadata: string): RequestFacts {
  return {
    hostname: metadata,
    mac: '',
    ip: '',
    remoteAddress: pushed.remoteAddress,
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
 * Cuts events into pieces for one record each, in steps. A single event must not exceed the limit of sent bodies, because its
 * results must fit into a record, too. (Our choice.)
 *
 * @throws ApiError 413
 */
function* cutting(messages: readonly string[], maxEventBytes: number): Steps<Piece[]> {
  const pieces: Piece[] = []
  let first = 0
  let bytes = 0
  for (const [index, message] of messages.entries()) {
    const textBytes = Buffer.byteLength(message)
    if (textBytes > maxEventBytes) throw payloadTooLarge()
    const size = textBytes + ROW_BYTES
    if ((bytes > 0 && bytes + size > RECORD_BYTES) || index - first === RECORD_ROWS) {
      pieces.push({ first, end: index, bytes })
      first = index
      bytes = 0
    }
    bytes += size
    if (index % EVENTS_OF_STEP === EVENTS_OF_STEP - 1) yield
  }
  pieces.push({ first, end: messages.length, bytes })
  return pieces
}

function notYetStarted(): ApiError {
  return unavailable('The pipeline that reads this address is about to start', 1)
}

function changedMeanwhile(): ApiError {
  return unavailable('The readers of this address changed while the request was accepted: send it again', 1)
}
