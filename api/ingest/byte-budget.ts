/** Bytes that can wait in memory at the same time, over all requests. */
export class ByteBudget {
  readonly limitBytes: number
  #used = 0

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
  }

  get usedBytes(): number {
    return this.#used
  }

  /**
   * @returns false without taking any bytes, if there is not enough room. A single body is accepted whatever its size.
   */
  take(bytes: number): boolean {
    if (this.#used > 0 && this.#used + bytes > this.limitBytes) return false
    this.#used += bytes
    return true
  }

  give(bytes: number): void {
    this.#used -= bytes
  }
}
