import { CommandError, EXIT } from '../command-error.ts'
import type { World } from '../world.ts'
import { Batch, type BatchLimits, FULL_BATCH, type LineOptions } from './batch.ts'
import type { Delivery } from './delivery.ts'
import { LineSplitter } from './line-splitter.ts'
import { newStream } from './stream-name.ts'
import type { Totals } from './totals.ts'

/** Time that lines of a slow writer wait for more lines before they are sent. */
const LINGER_MS = 500

export interface Source {
  readonly chunks: AsyncIterable<Buffer>
  readonly lines: LineOptions
  readonly host: string
  readonly tags: string | undefined
}

export interface ShipperOptions {
  readonly delivery: Delivery
  readonly totals: Totals
  readonly world: World
  readonly onProblem: (sentence: string) => void
}

/**
 * Ships one stream of bytes to its end. At most one request is outstanding, which keeps the order: the service stores in
 * the order of arrival. The next batch is read in the meantime.
 */
export class StreamShipper {
  readonly #source: Source
  readonly #options: ShipperOptions
  readonly #stream: string
  #number = 0
  #limits: BatchLimits = FULL_BATCH
  #batch: Batch
  #sending: Promise<void> = Promise.resolve()

  constructor(source: Source, options: ShipperOptions) {
    this.#source = source
    this.#options = options
    this.#stream = newStream(options.world)
    this.#batch = new Batch(source.lines, this.#limits)
  }

  /** @throws CommandError, Stopped: like Delivery.send, and when a request was refused; also errors of the source */
  async run(): Promise<void> {
    try {
      await this.#readAll()
    } catch (error) {
      // A source that was closed because the program stops is not an error.
      if (!this.#options.world.stop.aborted) throw error
    } finally {
      // After an error of the source, too, the outstanding request is awaited, so that the totals are correct.
      await this.#sending
    }
  }

  async #readAll(): Promise<void> {
    const splitter = new LineSplitter()
    const { world } = this.#options
    const chunks = this.#source.chunks[Symbol.asyncIterator]()
    for (;;) {
      const read = chunks.next()
      if (this.#batch.lines > 0 && (await isLate(read, world))) await this.#ship()
      const { value: chunk, done } = await read
      if (done || world.stop.aborted) break
      splitter.feed(chunk)
      while (splitter.next()) await this.#add(splitter)
    }
    if (world.stop.aborted) return
    if (splitter.finish()) await this.#add(splitter)
    await this.#ship()
  }

  async #add(line: LineSplitter): Promise<void> {
    if (this.#batch.add(line.buffer, line.start, line.end, line.endOffset)) return
    await this.#ship()
    this.#batch.add(line.buffer, line.start, line.end, line.endOffset)
  }

  async #ship(): Promise<void> {
    const batch = this.#batch
    this.#batch = new Batch(this.#source.lines, this.#limits)
    if (batch.lines === 0) return
    await this.#sending
    this.#sending = this.#deliver(batch)
    // It is awaited before the next one is sent; without this handler, an early failure would end the process.
    this.#sending.catch(() => {})
  }

  async #deliver(batch: Batch): Promise<void> {
    const { delivery, totals, onProblem } = this.#options
    const { host, tags } = this.#source
    const idempotencyKey = `${this.#stream}/${this.#number++}`
    const reply = await delivery.send({ body: batch.body(), lines: batch.lines, idempotencyKey, host, tags })
    if (reply.kind === 'too-large' && batch.lines > 1) {
      this.#limits = halved(this.#limits)
      for (const half of batch.halves()) await this.#deliver(half)
      return
    }
    if ('sentence' in reply) throw new CommandError(EXIT.usage, reply.sentence)
    totals.count(batch, reply.kind === 'taken' ? reply.refused : batch.lines)
    if (reply.kind === 'too-large') onProblem('The service refuses even a single line as too large.')
  }
}

/** Smaller batches from now on: a service that refused one as too large would refuse the next one, too. */
export function halved(limits: BatchLimits): BatchLimits {
  return { bytes: Math.max(65_536, limits.bytes >> 1), lines: limits.lines }
}

async function isLate(read: Promise<unknown>, world: World): Promise<boolean> {
  const enough = new AbortController()
  try {
    const arrived = read.then(
      () => false,
      () => false,
    )
    return await Promise.race([arrived, world.clock.sleep(LINGER_MS, enough.signal).then(() => true)])
  } finally {
    enough.abort()
  }
}
