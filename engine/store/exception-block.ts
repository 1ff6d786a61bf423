import { Transform, type TransformCallback } from 'node:stream'
import { extractErrorAtTheEndOfChunk } from '@clickhouse/client'

const CARRIAGE_RETURN = 0x0d
const MARK = '__exception__'
const END = `${MARK}\r\n`

/**
 * Passes on the rows of an answer in JSONEachRow, and ends with the error of its statement. A server writes the error
 * behind the rows as a block, which begins with the answer's first carriage return. The client itself understands the
 * block only in one piece, while the network may cut it anywhere.
 */
export class ExceptionBlock extends Transform {
  readonly #tag: string | undefined
  #block: Buffer | undefined

  /** @param tag of the blocks of this answer, from its header; undefined: the server writes none */
  constructor(tag: string | undefined) {
    super()
    this.#tag = tag
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#block === undefined) this.#passRows(chunk)
    else this.#block = Buffer.concat([this.#block, chunk])
    // Reports the error at once: the connection is often cut after it, and the cut would hide the error.
    done(this.#block !== undefined && isWhole(this.#block) ? this.#error(this.#block) : null)
  }

  override _flush(done: TransformCallback): void {
    done(this.#block === undefined ? null : this.#error(this.#block))
  }

  #passRows(chunk: Buffer): void {
    const end = this.#tag === undefined ? -1 : chunk.indexOf(CARRIAGE_RETURN)
    if (end < 0) this.push(chunk)
    else {
      this.push(chunk.subarray(0, end))
      this.#block = chunk.subarray(end)
    }
  }

  #error(block: Buffer): Error {
    return extractErrorAtTheEndOfChunk(block, this.#tag ?? '')
  }
}

function isWhole(block: Buffer): boolean {
  const end = block.lastIndexOf(END)
  return end >= 0 && end + END.length === block.length && end > block.indexOf(MARK)
}
