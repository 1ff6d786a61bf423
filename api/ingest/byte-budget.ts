/** Bytes that may wait in memory at once, over all requests. */
export class ByteBudget {
  readonly limitBytes: number
  #used = 0

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
  }

  get usedBytes(): number {
    return this.#used
  }

  /** @returns false, with nothing taken, when there is no room. One alone is taken whatever its size. */
  take(bytes: number): boolean {
    if (this.#used > 0 && this.#used + bytes > this.limitBytes) return false
    this.#used += bytes
    return true
  }

  give(bytes: number): void {
    this.#used -= bytes
  }
}
