import { Transform, type TransformCallback } from 'node:stream'
import { extractErrorAtTheEndOfChunk } from '@clickhouse/client'

const CARRIAGE_RETURN = 0x0d
const MARK = '__exception__'
const END = `${MARK}\r\n`

/**
 * Passes the rows of an answer in JSONEachRow on and ends with the error that its statement ended with. A server
 * writes it behind the rows as a block of its own, begun by the answer's first carriage return. The client itself
 * understands the block only when it comes in one piece, while the network may cut it anywhere.
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
    // At once: the connection is often cut behind it, which would be all that is told.
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
