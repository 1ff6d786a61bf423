/** 1.5 MB of JSON before compression: below the service's limit of 2 MB (specification, section 8). */
export const MAX_BATCH_BYTES = 1_500_000
export const MAX_BATCH_LINES = 5_000

/** Members that all lines of one file share, and the choice of its lines. They determine the bytes of a batch. */
export interface LineOptions {
  readonly app: string
  readonly level?: string | undefined
  readonly env?: string | undefined
  /** Path of the file; absent for standard input. */
  readonly file?: string | undefined
  /** false: empty lines are left out. */
  readonly keepEmpty: boolean
}

export interface BatchLimits {
  readonly bytes: number
  readonly lines: number
}

export const FULL_BATCH: BatchLimits = { bytes: MAX_BATCH_BYTES, lines: MAX_BATCH_LINES }

const OPENING = '{"lines":['
const CLOSING = ']}'
/** The service cuts longer lines: ingestion, section 1.3. */
const SERVICE_LINE_BYTES = 16_384

/** Lines of one stream, in order, for one request. The same lines give the same bytes. */
export class Batch {
  /** Sum of the bytes of the lines' text. */
  textBytes = 0
  /** Lines that the service will cut. */
  longLines = 0
  /** Positions in the stream at which lines end, line feed included. */
  readonly endOffsets: number[] = []
  #bodyBytes = OPENING.length + CLOSING.length
  readonly #elements: string[] = []
  readonly #textLengths: number[] = []
  readonly #limits: BatchLimits
  readonly #tail: string
  readonly #tailBytes: number
  readonly #options: LineOptions

  constructor(options: LineOptions, limits: BatchLimits = FULL_BATCH) {
    this.#options = options
    this.#limits = limits
    const { app, level, env, file } = options
    this.#tail = `,${JSON.stringify({ app, level, env, file }).slice(1)}`
    this.#tailBytes = Buffer.byteLength(this.#tail)
  }

  get lines(): number {
    return this.#elements.length
  }

  /**
   * Adds a line, unless it is empty and empty lines are not wanted.
   *
   * @returns false when the batch is full and the line was not added; a batch takes at least one
   */
  add(buffer: Buffer, start: number, end: number, endOffset: number): boolean {
    if (start === end && !this.#options.keepEmpty) return true
    // Bytes that are not UTF-8 become U+FFFD here; line ends are never inside a character.
    const text = JSON.stringify(buffer.toString('utf8', start, end))
    const bytes = 9 + Buffer.byteLength(text) + this.#tailBytes // {"line": and a comma
    const full = this.#bodyBytes + bytes > this.#limits.bytes || this.lines >= this.#limits.lines
    if (full && this.lines > 0) return false
    this.#push(`{"line":${text}${this.#tail}`, bytes, end - start, endOffset)
    return true
  }

  /** The two halves of a batch that was too large for the service. The batch must have at least two lines. */
  halves(): [Batch, Batch] {
    const middle = this.lines >> 1
    return [this.#part(0, middle), this.#part(middle, this.lines)]
  }

  body(): string {
    return OPENING + this.#elements.join(',') + CLOSING
  }

  #part(from: number, to: number): Batch {
    const part = new Batch(this.#options, this.#limits)
    for (let index = from; index < to; index++) {
      const element = this.#elements[index] as string
      part.#push(
        element,
        Buffer.byteLength(element) + 1,
        this.#textLengths[index] as number,
        this.endOffsets[index] as number,
      )
    }
    return part
  }

  #push(element: string, bodyBytes: number, textBytes: number, endOffset: number): void {
    this.#elements.push(element)
    this.#textLengths.push(textBytes)
    this.endOffsets.push(endOffset)
    this.#bodyBytes += bodyBytes
    this.textBytes += textBytes
    if (textBytes > SERVICE_LINE_BYTES) this.longLines++
  }
}
