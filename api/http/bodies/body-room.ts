/** Holder of all bodies whose sender is not known yet. */
export const STRANGERS = ''
/** Share of the room for bodies without a known sender, so that they cannot use up the room of others. */
const STRANGERS_SHARE = 1 / 8

/**
 * Memory for the bodies that a server receives or decompresses at the same time. A holder, such as an account, can hold
 * at most as many bytes as stay free: alone half of the room, beside another one a third. A new holder therefore always
 * finds room, unless very many hold some.
 */
export class BodyRoom {
  readonly limitBytes: number
  #usedBytes = 0
  readonly #heldBytes = new Map<string, number>()

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  /**
   * @returns false without taking any bytes, if there is not enough room. The first bytes of a holder only need to be free,
   *          and into an empty room any number is accepted.
   */
  take(holder: string, bytes: number): boolean {
    const heldBytes = this.#heldBytes.get(holder) ?? 0
    if (this.#usedBytes > 0 && !this.#fits(holder, heldBytes, bytes)) return false
    this.#usedBytes += bytes
    this.#heldBytes.set(holder, heldBytes + bytes)
    return true
  }

  #fits(holder: string, heldBytes: number, bytes: number): boolean {
    const freeBytes = this.limitBytes - this.#usedBytes - bytes
    if (freeBytes < 0) return false
    if (heldBytes === 0) return true
    if (holder === STRANGERS && heldBytes + bytes > this.limitBytes * STRANGERS_SHARE) return false
    return heldBytes + bytes <= freeBytes
  }

  give(holder: string, bytes: number): void {
    if (bytes === 0) return
    this.#usedBytes -= bytes
    const heldBytes = (this.#heldBytes.get(holder) ?? 0) - bytes
    if (heldBytes > 0) this.#heldBytes.set(holder, heldBytes)
    else this.#heldBytes.delete(holder)
  }
}
