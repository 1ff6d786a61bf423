import type { LineBatchBuilder } from '../columns/line-batch-builder.ts'
import type { BodyScanner, ScannedLines } from './body-scanner.ts'
import { LineScanner, SENTINEL_BYTES } from './scan-lines.ts'
import type { TimeBounds } from './timestamp.ts'

const FIRST_BYTES = 4096

/** The scanner in TypeScript, with memory that grows with the largest body. */
export class ByteScanner implements BodyScanner {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #length = 0

  load(chunks: readonly Buffer[]): void {
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

  get body(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  scan(columns: LineBatchBuilder, bounds: TimeBounds, spareBytes: number): ScannedLines | undefined {
    const mark = columns.mark()
    const scanner = new LineScanner(columns, bounds, spareBytes)
    if (scanner.scan(this.#bytes, this.#length)) {
      const { retimed } = scanner
      return { count: columns.count - mark.count, retimed, spareBytes: scanner.spareBytes }
    }
    columns.rollBack(mark)
    return undefined
  }
}
