/** A chunk of this size is kept as it is. A smaller one is copied, because a buffer of its own costs more memory. */
const LARGE_BYTES = 1024
const MAX_BLOCK_BYTES = 64 * 1024
const NONE = Buffer.alloc(0)

/** Chunks of a body in few buffers, however small the chunks are. */
export class JoinedChunks {
  readonly #buffers: Buffer[] = []
  /** Block that small chunks are copied into; the bytes from `#start` to `#end` are not among the buffers yet. */
  #block: Buffer = NONE
  #start = 0
  #end = 0

  add(chunk: Buffer): void {
    const isFirst = this.#buffers.length === 0 && this.#end === 0
    if (isFirst || chunk.length >= LARGE_BYTES) {
      this.#closeRun()
      this.#buffers.push(chunk)
      return
    }
    if (this.#end + chunk.length > this.#block.length) this.#openBlock()
    chunk.copy(this.#block, this.#end)
    this.#end += chunk.length
  }

  /** The whole body so far, in order. */
  buffers(): readonly Buffer[] {
    this.#closeRun()
    return this.#buffers
  }

  #closeRun(): void {
    if (this.#end > this.#start) this.#buffers.push(this.#block.subarray(this.#start, this.#end))
    this.#start = this.#end
  }

  /** Each block is twice as large as the one before, so a body in small chunks takes little more than its bytes. */
  #openBlock(): void {
    this.#closeRun()
    const blockBytes = Math.min(MAX_BLOCK_BYTES, Math.max(LARGE_BYTES, 2 * this.#block.length))
    this.#block = Buffer.allocUnsafeSlow(blockBytes)
    this.#start = 0
    this.#end = 0
  }
}
