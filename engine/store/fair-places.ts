/** Begins a request that waits. */
type Begin = () => void

/**
 * A number of places that many callers share. A waiting caller gets its place in turn with the others, however many
 * requests each of them has.
 */
export class FairPlaces {
  #free: number
  /** Waiting requests by caller; the caller whose turn is next comes first. */
  readonly #waiting = new Map<string, Begin[]>()

  constructor(places: number) {
    this.#free = places
  }

  /**
   * Waits for a place.
   *
   * @param signal ends the waiting
   * @returns gives the place back
   * @throws the reason of the signal
   */
  async take(caller: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#turn(caller, signal)
    let isHeld = true
    return () => {
      if (isHeld) this.#pass()
      isHeld = false
    }
  }

  #turn(caller: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.#remove(caller, begin)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      const others = this.#waiting.get(caller)
      if (others === undefined) this.#waiting.set(caller, [begin])
      else others.push(begin)
    })
  }

  #remove(caller: string, begin: Begin): void {
    const rest = (this.#waiting.get(caller) ?? []).filter(other => other !== begin)
    if (rest.length > 0) this.#waiting.set(caller, rest)
    else this.#waiting.delete(caller)
  }

  /** Gives a place to the next caller, and moves that caller's remaining requests to the end of the queue. */
  #pass(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free++
      return
    }
    const [caller, [first, ...rest]] = next
    this.#waiting.delete(caller)
    if (rest.length > 0) this.#waiting.set(caller, rest)
    first?.()
  }
}
