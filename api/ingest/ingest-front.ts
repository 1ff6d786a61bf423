import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import type { LineRouting } from '../../engine/configuration/kinds/line-routing.ts'
import { LineBatchBuilder, type RequestFacts } from '../../engine/lines/columns/line-batch-builder.ts'
import type { BodyReader, LineCodec } from '../../engine/lines/line-codec.ts'
import { BodyError } from '../../engine/lines/scan/body-error.ts'
import type { ReadLines } from '../../engine/lines/scan/line-reader.ts'
import type { Envelope } from '../../engine/lines/scan/parse-lines.ts'
import { timeBounds } from '../../engine/lines/scan/timestamp.ts'
import { wasmCodec } from '../../engine/lines/wasm/wasm-codec.ts'
import { finish } from '../../engine/steps.ts'
import type { Asker } from '../../engine/turns/asker.ts'
import { inTurns, LoopTurns } from '../../engine/turns/loop-turns.ts'
import { PacedWork } from '../../engine/turns/paced-work.ts'
import { type Idempotency, INGEST_ENTRANCE } from '../../schemas/log/line-batch.ts'
import type { Authenticator, Caller, CallerAccount, IngestCredentials } from '../auth/caller.ts'
import { isThere } from '../auth/carriers.ts'
import { authHeaders } from '../auth/headers.ts'
import { type BodyRoom, holderOf } from '../http/bodies/body-room.ts'
import type { RawBody } from '../http/bodies/received-bodies.ts'
import { ApiError, badRequest, forbidden, notAuthorized, unavailable } from '../http/errors.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { contentCodingOf, inflateBody } from './body.ts'
import type { IngestWriter, Written } from './ingest-writer.ts'
import type { IngestionHolds } from './ingestion-holds.ts'
import { idempotencyKeyOf, type KeptAnswer, type RecentAnswers } from './recent-answers.ts'
import { remoteAddressOf } from './remote-address.ts'
import { assertHost, driftOf, type RequestQuery, readQuery } from './request-query.ts'

const DIGEST_BYTES = 16
/** A larger body that needs the complete rules is read in turns with other requests. */
const READ_AT_ONCE_BYTES = 32 * 1024
/** Bodies that are read in one turn of the event loop have at most so many bytes together, or are one. (Our choice: some ms.) */
const BYTES_OF_TURN = 256 * 1024
/** Bodies up to this size, which most senders have, do not wait for larger ones. (Our choice.) */
const SHORT_BODY_BYTES = 32 * 1024
/** Time to retry while a paused pipeline holds lines: an operator has to resume it first. */
const HELD_RETRY_S = 10
const STORED = 200
const REFUSED = 400

export interface IngestFrontOptions {
  readonly writer: IngestWriter
  readonly partitionOf: LineRouting
  readonly authenticator: Authenticator
  readonly clock: Clock
  /** Maximum size of a body, before and after decompression. */
  readonly bodyLimitBytes: number
  readonly observer?: IngestObserver | undefined
  /** Absent: the number of requests is not limited. */
  readonly rateLimit?: RateLimit | undefined
  /** Idempotency keys, which all entrances of a process share. */
  readonly keys: RecentAnswers
  /** Accounts whose senders keep their lines for now; absent: none. */
  readonly holds?: Pick<IngestionHolds, 'isHeld'> | undefined
  /** Reads the lines of bodies; absent: the codec in WebAssembly. */
  readonly codec?: LineCodec
}

/** Receives every request whose lines are durable, except repeats. */
export interface IngestObserver {
  /** @param request `bytes` are those of the body, decompressed */
  accepted(request: {
    lines: number
    refused: number
    retimed: number
    bytes: number
    driftMs: number | null
  }): void
}

interface Filled {
  readonly facts: RequestFacts
  readonly read: ReadLines
}

/** A body would keep other requests waiting if it were read at once. */
class LongBody extends Error {}

/** Destination and rules of a request's lines. */
interface Taking {
  readonly account: CallerAccount
  readonly partition: number
  readonly receivedAtMs: number
  readonly idempotency: Idempotency | null
  readonly credentials: IngestCredentials
}

type Reply = { status: 'ok' | number[]; batchID: string }

/** Turns requests into durable lines and answers them. */
export class IngestFront {
  readonly #options: IngestFrontOptions
  readonly #inflating: BodyRoom
  readonly #reader: BodyReader
  readonly #turns: LoopTurns
  readonly #readingShort = new PacedWork(BYTES_OF_TURN)
  readonly #readingLong = new PacedWork(BYTES_OF_TURN)

  /** @param inflating memory of the bodies that are being decompressed */
  constructor(options: IngestFrontOptions, inflating: BodyRoom) {
    this.#options = options
    this.#inflating = inflating
    this.#reader = (options.codec ?? wasmCodec).newReader()
    this.#turns = new LoopTurns(options.clock)
  }

  /**
   * Authenticates before the body is read, unless only the body can carry the key.
   *
   * @throws ApiError 401, 403, 429, 503
   */
  authenticateEarly(request: FastifyRequest, reply: FastifyReply): void {
    const query = readQuery(request.raw.url ?? '')
    const credentials = credentialsOf(request, query)
    request.ingestion = { query, credentials, caller: null, remoteAddress: remoteAddressOf(request) }
    if (credentials !== undefined) this.#refuseHeld(this.#admit(credentials, request, reply).account)
  }

  async ingest(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const chunks = await this.#chunksOf(request)
    await this.#turnFor(chunks, request)
    this.#reader.load(chunks)
    let credentials = request.ingestion.credentials
    if (credentials === undefined && this.#reader.body.length > READ_AT_ONCE_BYTES) {
      credentials = await this.#credentialsOfLongBody(request)
      await this.#turnFor(chunks, request)
      this.#reader.load(chunks)
    }
    // The code from here to the append must not contain an `await`: all requests share the reader's memory.
    credentials ??= this.#credentialsOfBody(request)
    // Checked again, because a body may take minutes: a suspension or a deleted key in between takes effect at once.
    const caller =
      request.ingestion.credentials === undefined
        ? this.#admit(credentials, request, reply)
        : this.#authenticated(credentials, reply)
    if (this.#reader.body.length === 0) throw badRequest([{ message: 'The body is empty', key: 'body' }])
    const account = accountThatMayIngest(caller)
    const idempotency = this.#idempotencyOf(request)
    const partition = this.#options.partitionOf({
      account: account.shortId,
      hostname: request.ingestion.query.hostname,
      key: idempotency?.key ?? '',
    })
    const first =
      idempotency === null ? undefined : this.#options.keys.find(account.shortId, idempotency, partition)
    if (first !== undefined) return send(reply, await this.#repeated(first, chunks, request))
    this.#refuseHeld(account)
    const bytes = this.#reader.body.length
    const receivedAtMs = this.#options.clock.wallMs()
    const taking = { account, partition, receivedAtMs, idempotency, credentials }
    const { filled, lines, batchId } = await this.#append(request, reply, taking)
    const { count, refused, retimed } = filled.read
    const { driftMs } = filled.facts
    this.#options.observer?.accepted({ lines, refused: refused.length, retimed, bytes, driftMs })
    return send(reply, replyOf(batchId, count, refused))
  }

  /** Waits until the event loop has a turn for a body, since many may be complete at the same time. The caller loads it at once. */
  #turnFor(chunks: readonly Buffer[], { ingestion }: FastifyRequest): Promise<void> {
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
    const reading = bytes > SHORT_BODY_BYTES ? this.#readingLong : this.#readingShort
    return reading.begin(holderOf(ingestion.caller), bytes)
  }

  #append(request: FastifyRequest, reply: FastifyReply, taking: Taking): Promise<Written<Filled>> {
    const { account, idempotency } = taking
    const written = this.#written(request, reply, taking)
    if (idempotency !== null) this.#options.keys.note(account.shortId, idempotency, written.then(keptAnswer))
    return written
  }

  #written(request: FastifyRequest, reply: FastifyReply, taking: Taking): Promise<Written<Filled>> {
    const { bounds, tags, limitBytes } = this.#rulesOf(request, taking)
    const { length } = this.#reader.body
    try {
      return this.#write(request, taking, length, batch => {
        const read = this.#reader.scanLines(batch, bounds, tags, limitBytes)
        if (read !== undefined) return read
        if (length > READ_AT_ONCE_BYTES) throw new LongBody()
        return finish(this.#reader.parsingLines(batch, bounds, tags, limitBytes))
      })
    } catch (error) {
      if (!(error instanceof LongBody)) throw error
      return this.#writtenInTurns(request, reply, taking)
    }
  }

  async #writtenInTurns(
    request: FastifyRequest,
    reply: FastifyReply,
    taking: Taking,
  ): Promise<Written<Filled>> {
    const { bounds, tags, limitBytes } = this.#rulesOf(request, taking)
    const { length } = this.#reader.body
    const lines = new LineBatchBuilder()
    const read = await inTurns(
      this.#reader.parsingLines(lines, bounds, tags, limitBytes),
      this.#turns.begin(),
    )
    // Checked again, because the turns of many bodies may take long.
    this.#refuseHeld(accountThatMayIngest(this.#authenticated(taking.credentials, reply)))
    return this.#write(request, taking, length, batch => {
      batch.addAll(lines)
      return read
    })
  }

  #rulesOf({ ingestion }: FastifyRequest, { account, receivedAtMs }: Taking) {
    const { tags } = ingestion.query
    return {
      bounds: timeBounds(receivedAtMs, account.retentionDays),
      tags: tags.length > 0 ? tags : null,
      limitBytes: this.#options.bodyLimitBytes,
    }
  }

  /** @throws ApiError 413, 503; what `read` throws */
  #write(
    request: FastifyRequest,
    { account, partition, receivedAtMs, idempotency }: Taking,
    sizeHint: number,
    read: (batch: LineBatchBuilder) => ReadLines,
  ): Promise<Written<Filled>> {
    const { query, remoteAddress } = request.ingestion
    const destination = { account: account.shortId, entrance: INGEST_ENTRANCE, partition }
    return this.#options.writer.append(destination, sizeHint, batch => {
      const lines = read(batch)
      const facts: RequestFacts = {
        ...hostOf(query, lines),
        remoteAddress,
        receivedAtMs,
        driftMs: driftOf(query.now, receivedAtMs),
        idempotency,
      }
      return { facts, read: lines }
    })
  }

  /** @throws ApiError 413, 415, 400, 503; 401 when the key could only have been in a body that cannot be read */
  async #chunksOf(request: FastifyRequest): Promise<readonly Buffer[]> {
    try {
      const body = request.body as RawBody | ApiError
      if (body instanceof ApiError) throw body
      const coding = contentCodingOf(request.headers)
      if (coding === 'identity' || body.bytes === 0) return body.chunks
      return [await this.#inflated(body, coding, holderOf(request.ingestion.caller))]
    } catch (error) {
      const isUnreadable = error instanceof ApiError && (error.status === 400 || error.status === 415)
      throw isUnreadable && request.ingestion.caller === null ? notAuthorized() : error
    }
  }

  async #inflated(body: RawBody, coding: 'gzip' | 'deflate', holder: Asker): Promise<Buffer> {
    const limitBytes = this.#options.bodyLimitBytes
    if (!this.#inflating.take(holder, limitBytes))
      throw unavailable('Too many requests are being received at once', 1)
    try {
      return await inflateBody(body, coding, limitBytes)
    } finally {
      this.#inflating.give(holder, limitBytes)
    }
  }

  #credentialsOfBody(request: FastifyRequest): IngestCredentials {
    try {
      return keyIn(request, this.#mayHoldKey() ? this.#reader.envelope() : undefined)
    } catch (error) {
      if (error instanceof BodyError) return keyIn(request, undefined)
      throw error
    }
  }

  /** Reads the key of a body in turns with other requests: its sender may be anyone. */
  async #credentialsOfLongBody(request: FastifyRequest): Promise<IngestCredentials> {
    if (!this.#mayHoldKey()) return keyIn(request, undefined)
    try {
      return keyIn(request, await inTurns(this.#reader.readingEnvelope(), this.#turns.begin()))
    } catch (error) {
      if (error instanceof BodyError) return keyIn(request, undefined)
      throw error
    }
  }

  /** Without a credential a body is parsed only if it contains such a member. */
  #mayHoldKey(): boolean {
    const { body } = this.#reader
    return body.includes('apikey') || body.includes('\\u')
  }

  /** A request counts once, as soon as its sender is known. @throws ApiError 429, too */
  #admit(credentials: IngestCredentials, request: FastifyRequest, reply: FastifyReply): Caller {
    const caller = this.#authenticated(credentials, reply)
    request.ingestion = { ...request.ingestion, caller }
    this.#options.rateLimit?.take(caller.credential.id)
    return caller
  }

  #authenticated(credentials: IngestCredentials, reply: FastifyReply): Caller {
    const result = this.#options.authenticator.ingest(credentials)
    if ('caller' in result) {
      reply.headers(authHeaders(result.caller))
      return result.caller
    }
    const { status, message, caller } = result.failure
    if (caller !== undefined) reply.headers(authHeaders(caller))
    throw status === 401 ? notAuthorized(message) : forbidden(message)
  }

  /** @throws ApiError 503 while senders of the account keep their lines: none of the request were taken */
  #refuseHeld(account: CallerAccount | undefined): void {
    if (account !== undefined && this.#options.holds?.isHeld(account.shortId) === true)
      throw unavailable('A pipeline that reads log ingestion is paused: send the lines later', HELD_RETRY_S)
  }

  #idempotencyOf(request: FastifyRequest): Idempotency | null {
    const key = idempotencyKeyOf(request.headers['idempotency-key'])
    if (key === undefined) return null
    return { key, digest: hash('sha256', this.#reader.body, 'buffer').subarray(0, DIGEST_BYTES) }
  }

  /**
   * Returns the first answer again. The refused lines are determined again, because storing them would need much space.
   */
  async #repeated(
    first: Promise<KeptAnswer>,
    chunks: readonly Buffer[],
    request: FastifyRequest,
  ): Promise<Reply> {
    const { batchId, isPartial } = await first
    if (!isPartial) return replyOf(batchId, 0, [])
    await this.#turnFor(chunks, request)
    this.#reader.load(chunks)
    const { bodyLimitBytes } = this.#options
    const taken = [new LineBatchBuilder(), timeBounds(0, 0), null, bodyLimitBytes] as const
    const { count, refused } =
      this.#reader.scanLines(...taken) ??
      (await inTurns(this.#reader.parsingLines(...taken), this.#turns.begin()))
    return replyOf(batchId, count, refused)
  }
}

function keyIn(request: FastifyRequest, envelope: Envelope | undefined): IngestCredentials {
  const bodyApikey = envelope?.apikey ?? ''
  return { ...(bodyApikey !== '' && { bodyApikey }), ...delegationOf(request) }
}

function keptAnswer({ batchId, filled }: Written<Filled>): KeptAnswer {
  return { batchId, isPartial: filled.read.refused.length > 0 }
}

/** @returns undefined when neither headers nor query carry anything */
function credentialsOf(request: FastifyRequest, query: RequestQuery): IngestCredentials | undefined {
  const { apikey, authorization } = request.headers
  const apikeyHeader = Array.isArray(apikey) ? apikey[0] : apikey
  if (!isThere(apikeyHeader) && !isThere(authorization) && query.apikey === '') return undefined
  return {
    ...(isThere(apikeyHeader) && { apikeyHeader }),
    ...(isThere(authorization) && { authorization }),
    ...(query.apikey !== '' && { queryApikey: query.apikey }),
    ...delegationOf(request),
  }
}

function delegationOf(request: FastifyRequest): Pick<IngestCredentials, 'delegateAccountId'> {
  const header = request.headers['x-delegate-account-id']
  return header === undefined ? {} : { delegateAccountId: String(header) }
}

/** @throws ApiError 403 */
function accountThatMayIngest({ role, account }: Caller): CallerAccount {
  if (account === undefined) throw forbidden('"x-delegate-account-id" header is required')
  if (role === 'readonly') throw forbidden('The credential does not have the permission to ingest')
  if (account.ingestionSuspended) throw forbidden('Ingestion is suspended for this account')
  return account
}

/** Facts about the host; the query takes precedence over the body. */
function hostOf(query: RequestQuery, { envelope }: ReadLines) {
  const host = {
    hostname: query.hostname || (envelope?.hostname ?? ''),
    mac: query.mac || (envelope?.mac ?? ''),
    ip: query.ip || (envelope?.ip ?? ''),
    tags: query.tags.length > 0 ? query.tags : (envelope?.tags ?? []),
  }
  assertHost(host)
  return host
}

/** Ingestion, section 1.5. */
function replyOf(batchID: string, count: number, refused: readonly number[]): Reply {
  if (refused.length === 0) return { status: 'ok', batchID }
  const status = new Array<number>(count).fill(STORED)
  for (const place of refused) status[place] = REFUSED
  return { status, batchID }
}

function send(reply: FastifyReply, body: Reply): FastifyReply {
  return reply.code(body.status === 'ok' ? 200 : 207).send(body)
}
