import type { TextColumnBuilder } from './text-column-builder.ts'
import { scanTexts } from './text-lengths.ts'

/** A column of length-prefixed UTF-8 texts; an empty column stands for empty texts. */
export class TextColumnView {
  readonly bytes: Buffer
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array
  readonly #empty: boolean

  constructor(bytes: Uint8Array, count: number) {
    this.bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#empty = bytes.length === 0
    this.#starts = new Uint32Array(this.#empty ? 0 : count)
    this.#ends = new Uint32Array(this.#empty ? 0 : count)
    if (!this.#empty) scanTexts(this.bytes, this.#starts, this.#ends)
  }

  /** Whether all texts are empty: each has a length at most. */
  get areEmpty(): boolean {
    return this.#empty || this.bytes.length === this.#starts.length
  }

  /** First byte of each text, unless all are empty. */
  get starts(): Uint32Array {
    return this.#starts
  }

  /** Place behind each text, unless all are empty. */
  get ends(): Uint32Array {
    return this.#ends
  }

  start(index: number): number {
    return this.#empty ? 0 : (this.#starts[index] as number)
  }

  end(index: number): number {
    return this.#empty ? 0 : (this.#ends[index] as number)
  }

  text(index: number): string {
    if (this.#empty) return ''
    const start = this.#starts[index] as number
    const end = this.#ends[index] as number
    return start === end ? '' : this.bytes.toString('utf8', start, end)
  }

  /** The bytes of a text, one code unit per byte. */
  raw(index: number): string {
    const start = this.start(index)
    const end = this.end(index)
    return start === end ? '' : this.bytes.toString('latin1', start, end)
  }

  copy(index: number, target: TextColumnBuilder): void {
    const start = this.start(index)
    const end = this.end(index)
    if (start === end) target.appendEmpty()
    else target.append(this.bytes, start, end)
  }
}

const NO_TEXTS = new TextColumnView(Buffer.alloc(0), 0)

export function textColumn(bytes: Uint8Array, count: number): TextColumnView {
  return bytes.length === 0 ? NO_TEXTS : new TextColumnView(bytes, count)
}
