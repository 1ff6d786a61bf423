import { isUtf8 } from 'node:buffer'
import type { LineBatchBuilder } from '../columns/line-batch-builder.ts'
import { tooLarge } from './body-error.ts'
import { tagBytes } from './least-bytes.ts'
import { type Envelope, envelopeOf, type JsonBody, openBody, parseLines } from './parse-lines.ts'
import { LineScanner, SENTINEL_BYTES } from './scan-lines.ts'
import type { TimeBounds } from './timestamp.ts'

const FIRST_BYTES = 4096

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
 * Reads request bodies into batches: by the fast scanner if possible, else by the complete parser. The body is copied
 * into memory that all requests share. `load` and the calls that use the body must therefore run in one turn of the event
 * loop.
 */
export class LineReader {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #length = 0
  #json: JsonBody | undefined

  /** Makes these chunks the loaded body. */
  load(chunks: readonly Buffer[]): void {
    this.#json = undefined
    this.#length = 0
    let length = 0
    for (const chunk of chunks) length += chunk.length
    if (length + SENTINEL_BYTES > this.#bytes.length)
      this.#bytes = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length + SENTINEL_BYTES)))
    for (const chunk of chunks) {
      this.#bytes.set(chunk, this.#length)
      this.#length += chunk.length
    }
  }

  /** The loaded body; a view, valid until the next `load`. */
  get body(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /**
   * Members of the body beside its lines.
   *
   * @throws BodyError for malformed JSON
   */
  envelope(): Envelope {
    return envelopeOf(this.#opened())
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
    const spareBytes = limitBytes - this.#length
    const mark = batch.mark()
    if (this.#json === undefined && isUtf8(this.body)) {
      const scanner = new LineScanner(batch, bounds, spareBytes)
      if (scanner.scan(this.#bytes, this.#length)) {
        const { retimed, spareBytes: left } = scanner
        if ((batch.count - mark.count) * tagBytes(tags?.length ?? 0) > left) throw tooLarge()
        return { count: batch.count - mark.count, refused: [], retimed, envelope: null }
      }
      batch.rollBack(mark)
    }
    const json = this.#opened()
    const envelope = envelopeOf(json)
    return { ...parseLines(json, batch, bounds, tags ?? envelope.tags, spareBytes), envelope }
  }

  #opened(): JsonBody {
    this.#json ??= openBody(this.body)
    return this.#json
  }
}
