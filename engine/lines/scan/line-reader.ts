import { isUtf8 } from 'node:buffer'
import { finish, type Steps } from '../../steps.ts'
import type { LineBatchBuilder } from '../columns/line-batch-builder.ts'
import { tooLarge } from './body-error.ts'
import type { BodyScanner, ScannedLines } from './body-scanner.ts'
import { ByteScanner } from './byte-scanner.ts'
import { tagBytes } from './least-bytes.ts'
import { type Envelope, type JsonBody, openingBody, parsingLines, readingEnvelope } from './parse-lines.ts'
import type { TimeBounds } from './timestamp.ts'

/** Result of reading the lines of one body. */
export interface ReadLines {
  readonly count: number
  /** Places of lines without anything to store, rising. */
  readonly refused: readonly number[]
  /** Number of lines whose own time was too old or too far ahead, and was replaced by the time of arrival. */
  readonly retimed: number
  /** Members of the body about the request; null without any. */
  readonly envelope: Envelope | null
}

/**
 * Reads request bodies into batches: by a fast scanner if possible, else by the complete parser. The body is copied into
 * memory that all requests share. `load` and the calls that use the body must therefore run in one turn of the event loop.
 */
export class LineReader {
  readonly #scanner: BodyScanner
  readonly #noteUnread: () => void
  #json: JsonBody | undefined

  /** @param noteUnread is called for each body that the scanner does not read */
  constructor(scanner: BodyScanner = new ByteScanner(), noteUnread = () => {}) {
    this.#scanner = scanner
    this.#noteUnread = noteUnread
  }

  /** Makes these chunks the loaded body. */
  load(chunks: readonly Buffer[]): void {
    this.#json = undefined
    this.#scanner.load(chunks)
  }

  /** The loaded body; a view, valid until the next `load`. */
  get body(): Buffer {
    return this.#scanner.body
  }

  /**
   * Members of the body beside its lines.
   *
   * @throws BodyError for malformed JSON
   */
  envelope(): Envelope {
    return finish(readingEnvelope(this.#opened()))
  }

  /** Like `envelope`, in steps. They keep the body, so another one may be loaded meanwhile. */
  readingEnvelope(): Steps<Envelope> {
    return envelopeOfCopy(Buffer.from(this.body))
  }

  /**
   * Appends the lines of the loaded body to a batch.
   *
   * @param tags  the tags of the request; null: those of the body, if any
   * @param limitBytes  limit of a body; parts that take more time than their size suggests count as more bytes
   * @throws BodyError; the batch then contains some of the lines and must be rolled back
   */
  readLines(
    batch: LineBatchBuilder,
    bounds: TimeBounds,
    tags: readonly string[] | null,
    limitBytes: number,
  ): ReadLines {
    return (
      this.scanLines(batch, bounds, tags, limitBytes) ??
      finish(this.parsingLines(batch, bounds, tags, limitBytes))
    )
  }

  /**
   * Like `readLines`, with a body that the fast scanner understands.
   *
   * @returns undefined, and leaves the batch as it was, for any other body
   */
  scanLines(
    batch: LineBatchBuilder,
    bounds: TimeBounds,
    tags: readonly string[] | null,
    limitBytes: number,
  ): ReadLines | undefined {
    const scanned = this.#scanned(batch, bounds, limitBytes)
    if (scanned === undefined) {
      this.#noteUnread()
      return undefined
    }
    const { count, retimed, spareBytes } = scanned
    if (count * tagBytes(tags?.length ?? 0) > spareBytes) throw tooLarge()
    return { count, refused: [], retimed, envelope: null }
  }

  /**
   * Like `readLines`, by the complete rules and in steps. They keep the body, so another one may be loaded meanwhile.
   */
  parsingLines(
    batch: LineBatchBuilder,
    bounds: TimeBounds,
    tags: readonly string[] | null,
    limitBytes: number,
  ): Steps<ReadLines> {
    const { length } = this.body
    const body = this.#json ?? Buffer.from(this.body)
    return parsing(body, batch, bounds, tags, limitBytes - length)
  }

  #scanned(batch: LineBatchBuilder, bounds: TimeBounds, limitBytes: number): ScannedLines | undefined {
    if (this.#json !== undefined || !isUtf8(this.body)) return undefined
    return this.#scanner.scan(batch, bounds, limitBytes - this.body.length)
  }

  #opened(): JsonBody {
    this.#json ??= finish(openingBody(this.body))
    return this.#json
  }
}

function* envelopeOfCopy(body: Buffer): Steps<Envelope> {
  return yield* readingEnvelope(yield* openingBody(body))
}

function* parsing(
  body: JsonBody | Buffer,
  batch: LineBatchBuilder,
  bounds: TimeBounds,
  tags: readonly string[] | null,
  spareBytes: number,
): Steps<ReadLines> {
  const json = Buffer.isBuffer(body) ? yield* openingBody(body) : body
  const envelope = yield* readingEnvelope(json)
  return { ...(yield* parsingLines(json, batch, bounds, tags ?? envelope.tags, spareBytes)), envelope }
}
