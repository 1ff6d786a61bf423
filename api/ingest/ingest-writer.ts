import {
  type AddedRequest,
  LineBatchBuilder,
  type RequestFacts,
} from '../../engine/lines/columns/line-batch-builder.ts'
import { type Appended, LogError, MAX_RECORD_BYTES, type Topic } from '../../engine/log/log.ts'
import type { Producer } from '../../engine/log/producer.ts'
import { MAX_ROWS_PER_RECORD } from '../../schemas/log/position.ts'
import { RECORD_BYTES, RECORD_ROWS } from '../../schemas/log/record-size.ts'
import { ApiError, payloadTooLarge, unavailable } from '../http/errors.ts'

const DEFAULT_WAITING_BYTES = 64 * 1024 * 1024
/** Builders kept for the next batch; more are used only when many accounts send at the same instant. */
const SPARE_BUILDERS = 4
/** A builder that grew beyond this size for an unusual request is not kept. */
const SPARE_BUILDER_BYTES = 8 * 1024 * 1024
/** Time to retry: an operator has to accept the loss first. */
const TAIL_LOST_RETRY_S = 30
/** The log counts a little more than the value against its limit. */
const RECORD_MARGIN_BYTES = 1024

export interface IngestWriterOptions {
  readonly topic: Topic
  readonly producer: Pick<Producer, 'append'>
  /** Lines, in encoded bytes, that may wait for the log at once; beyond it requests are refused. */
  readonly maxWaitingBytes?: number
}

/** Place of a request's lines in the log, once they are durable. */
export interface Written<Filled> {
  readonly filled: Filled
  /** Number of stored lines; zero has no place. */
  readonly lines: number
  /** Opaque to clients; empty when nothing was stored. */
  readonly batchId: string
}

interface Waiting {
  readonly index: number
  readonly bytes: number
  readonly resolve: (batchId: string) => void
  readonly reject: (error: unknown) => void
}

/** Account of the lines, their entrance, and their partition. */
export interface LineDestination {
  readonly account: string
  readonly entrance: string
  readonly partition: number
}

/** Lines that wait for the log: those that one account sends through one entrance to one partition. */
interface LineQueue extends LineDestination {
  readonly key: string
  builder: LineBatchBuilder
  waiting: Waiting[]
  recordsInFlight: number
}

/**
 * Appends lines to the log. While an append is under way, further requests for the same account, entrance and partition
 * gather in one record. The more requests wait, the fewer records are written. The lines of one request are always in one
 * record, and the request is answered when that record is durable.
 */
export class IngestWriter {
  readonly #topic: Topic
  readonly #producer: Pick<Producer, 'append'>
  readonly #maxWaitingBytes: number
  readonly #queues = new Map<string, LineQueue>()
  readonly #spare: LineBatchBuilder[] = []
  readonly #idle: (() => void)[] = []
  #inFlight = 0
  #waitingBytes = 0

  constructor({ topic, producer, maxWaitingBytes }: IngestWriterOptions) {
    this.#topic = topic
    this.#producer = producer
    this.#maxWaitingBytes = maxWaitingBytes ?? DEFAULT_WAITING_BYTES
  }

  /** Encoded bytes of the lines that are not durable yet. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /**
   * Appends the lines of one request. `fill` runs once or twice before this method returns, and adds the lines to the
   * given batch. An exception of `fill` is thrown from here and leaves nothing behind.
   *
   * @param sizeHint  approximate size of the lines in bytes
   * @returns when the lines are durable; rejects with ApiError 503 when it is unknown whether they are stored
   * @throws ApiError 413 when a record cannot hold the lines, 503 when too much is waiting already
   */
  append<Filled extends { readonly facts: RequestFacts }>(
    destination: LineDestination,
    sizeHint: number,
    fill: (batch: LineBatchBuilder) => Filled,
  ): Promise<Written<Filled>> {
    if (this.#waitingBytes >= this.#maxWaitingBytes)
      throw unavailable('Too many lines are waiting for the log', 1)
    const queue = this.#queueOf(destination)
    if (isFull(queue.builder, sizeHint)) this.#send(queue)
    try {
      const { filled, index, lines, bytes } = this.#filled(queue, fill)
      if (lines === 0) return Promise.resolve({ filled, lines, batchId: '' })
      return new Promise((resolve, reject) => {
        this.#waitingBytes += bytes
        queue.waiting.push({
          index,
          bytes,
          resolve: batchId => resolve({ filled, lines, batchId }),
          reject,
        })
        if (queue.recordsInFlight === 0 || isFull(queue.builder, 0)) this.#send(queue)
      })
    } finally {
      this.#releaseUnused(queue)
    }
  }

  /** Resolves when no lines are on their way to the log. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>(resolve => this.#idle.push(resolve))
  }

  #filled<Filled extends { readonly facts: RequestFacts }>(
    queue: LineQueue,
    fill: (batch: LineBatchBuilder) => Filled,
  ): AddedRequest<Filled> & { readonly bytes: number } {
    const { builder } = queue
    const before = builder.mark()
    const bytesBefore = builder.bytes
    const added = builder.addRequest(fill)
    if (isSmallEnough(builder)) return { ...added, bytes: builder.bytes - bytesBefore }
    builder.rollBack(before)
    if (before.requests === 0) throw payloadTooLarge()
    // The lines are too large for a record together with others. Those are sent first, and `fill` runs again.
    this.#send(queue)
    return this.#filled(queue, fill)
  }

  #queueOf(destination: LineDestination): LineQueue {
    const { account, entrance, partition } = destination
    const key = `${account} ${entrance} ${partition}`
    let queue = this.#queues.get(key)
    if (queue === undefined) {
      const builder = this.#spare.pop() ?? new LineBatchBuilder()
      queue = { ...destination, key, builder, waiting: [], recordsInFlight: 0 }
      this.#queues.set(key, queue)
    }
    return queue
  }

  #releaseUnused(queue: LineQueue): void {
    if (queue.recordsInFlight > 0 || queue.waiting.length > 0) return
    this.#queues.delete(queue.key)
    if (this.#spare.length < SPARE_BUILDERS && queue.builder.capacityBytes <= SPARE_BUILDER_BYTES)
      this.#spare.push(queue.builder)
  }

  #send(queue: LineQueue): void {
    const { account, entrance, partition, builder, waiting } = queue
    const value = builder.encode(account, entrance)
    builder.clear()
    queue.waiting = []
    queue.recordsInFlight++
    this.#inFlight++
    this.#producer.append(partition, value, 'ingest').then(
      appended => {
        for (const { index, resolve } of waiting) resolve(this.#batchId(partition, appended, index))
        this.#sent(queue, waiting)
      },
      (error: unknown) => {
        const reply = replyTo(error)
        for (const { reject } of waiting) reject(reply)
        this.#sent(queue, waiting)
      },
    )
  }

  #sent(queue: LineQueue, answered: readonly Waiting[]): void {
    for (const { bytes } of answered) this.#waitingBytes -= bytes
    queue.recordsInFlight--
    this.#inFlight--
    if (queue.recordsInFlight === 0 && queue.waiting.length > 0) this.#send(queue)
    this.#releaseUnused(queue)
    if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  #batchId(partition: number, { offset }: Appended, index: number): string {
    return `${this.#topic.logId.slice(0, 8)}:${partition}:${offset}:${index}`
  }
}

/** @param bytes approximate size of the lines that come next */
function isFull(builder: LineBatchBuilder, bytes: number): boolean {
  return builder.requests > 0 && (builder.bytes + bytes > RECORD_BYTES || builder.count >= RECORD_ROWS)
}

function isSmallEnough(builder: LineBatchBuilder): boolean {
  return builder.count <= MAX_ROWS_PER_RECORD && builder.bytes <= MAX_RECORD_BYTES - RECORD_MARGIN_BYTES
}

function replyTo(error: unknown): unknown {
  if (!(error instanceof LogError)) return error
  switch (error.code) {
    case 'LOG_FULL':
      return unavailable('The log is full: lines are taken again when it has emptied itself', 10)
    case 'LOG_RECORD_TOO_LARGE':
      return payloadTooLarge()
    case 'LOG_TAIL_LOST':
      return unavailable(error.message, TAIL_LOST_RETRY_S)
    case 'LOG_CLOSED':
      return unavailable('The service is shutting down', 1)
    default:
      return new ApiError(503, 'ServiceUnavailable', 'The log cannot be written at the moment', {
        headers: { 'retry-after': '2' },
        cause: error,
      })
  }
}
