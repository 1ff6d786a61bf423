const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * The service keeps 16,384 bytes of a line (ingestion, section 1.3) and marks cut lines. Bytes beyond this limit are not
 * sent, so that a line without an end fills neither a batch nor the memory.
 */
export const MAX_LINE_BYTES = 65_536

/**
 * Cuts a stream of bytes into lines, only at line feeds: a chunk may end in the middle of a line or of a character. A
 * carriage return at the end of a line is not part of it.
 *
 * It is pulled, not pushed: after `feed`, call `next` until it returns false.
 */
export class LineSplitter {
  /** The line found by the last `next` or `finish` is buffer[start, end). */
  buffer: Buffer = Buffer.alloc(0)
  start = 0
  end = 0
  /** Offset in the stream just after that line and its line feed. */
  endOffset: number

  #chunk: Buffer = Buffer.alloc(0)
  #position = 0
  #chunkOffset: number
  #carried: Buffer[] = []
  #carriedBytes = 0
  #unendedBytes = 0

  constructor(startOffset = 0) {
    this.endOffset = startOffset
    this.#chunkOffset = startOffset
  }

  /** Bytes of the line that has begun but not ended. */
  get unendedBytes(): number {
    return this.#unendedBytes
  }

  /** The chunk may be reused only after `next` has returned false. */
  feed(chunk: Buffer): void {
    this.#chunkOffset += this.#chunk.length
    this.#chunk = chunk
    this.#position = 0
  }

  next(): boolean {
    const at = this.#chunk.indexOf(NEWLINE, this.#position)
    if (at < 0) {
      this.#carry(this.#chunk.subarray(this.#position))
      this.#position = this.#chunk.length
      return false
    }
    this.#take(this.#position, at)
    this.#position = at + 1
    this.endOffset = this.#chunkOffset + at + 1
    return true
  }

  /** The last line, when the stream ended without a line feed. */
  finish(): boolean {
    if (this.#unendedBytes === 0) return false
    this.endOffset = this.#chunkOffset + this.#chunk.length
    this.#take(this.#chunk.length, this.#chunk.length)
    return true
  }

  #take(start: number, end: number): void {
    const wholeBytes = this.#unendedBytes + end - start
    if (this.#unendedBytes === 0) {
      this.buffer = this.#chunk
      this.start = start
      this.end = end
    } else {
      this.#carry(this.#chunk.subarray(start, end))
      this.buffer = Buffer.concat(this.#carried)
      this.start = 0
      this.end = this.buffer.length
    }
    if (wholeBytes > MAX_LINE_BYTES) this.end = this.start + MAX_LINE_BYTES
    else if (this.end > this.start && this.buffer[this.end - 1] === CARRIAGE_RETURN) this.end--
    this.#carried = []
    this.#carriedBytes = 0
    this.#unendedBytes = 0
  }

  #carry(piece: Buffer): void {
    this.#unendedBytes += piece.length
    const kept = piece.subarray(0, Math.max(0, MAX_LINE_BYTES - this.#carriedBytes))
    if (kept.length === 0) return
    // A copy, because the chunk's memory may be reused.
    this.#carried.push(Buffer.from(kept))
    this.#carriedBytes += kept.length
  }
}
