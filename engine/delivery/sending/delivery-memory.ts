/** Bytes that deliveries of a process hold unless an installation sets another number. */
export const DELIVERY_MEMORY_BYTES = 64 * 1024 * 1024

/** Experience with a remote: it has taken the last request, was never asked, or has failed the last time. */
export type Standing = 'proven' | 'new' | 'failing'

/** Part of the memory that a request has. */
export interface Held {
  /** Gives back the bytes beyond that number. */
  shrinkTo(bytes: number): void
}

interface Waiting {
  readonly bytes: number
  enter(): void
}

/**
 * Bounds the bytes that the requests of a process hold, those of all lanes together. Requests wait in order. A remote that does not answer
 * holds its bytes until the time-out. So remotes that have not proven that they answer hold at most one half together, and the other half is
 * for those that have. Those use all of it while no other waits. Remotes without a request so far come before those that have failed.
 */
export class DeliveryMemory {
  readonly #halfBytes: number
  #provenBytes = 0
  #otherBytes = 0
  readonly #waiting: Readonly<Record<Standing, Waiting[]>> = { proven: [], new: [], failing: [] }

  constructor(limitBytes = DELIVERY_MEMORY_BYTES) {
    this.#halfBytes = limitBytes / 2
  }

  /** Bytes that are held. */
  get heldBytes(): number {
    return this.#provenBytes + this.#otherBytes
  }

  /**
   * Runs a request as soon as there is room for it. More than a half counts as a half: a larger batch is sent, too.
   *
   * @throws the reason of the signal when it is aborted before that; otherwise the error of the request
   */
  async run<Answer>(
    bytes: number,
    standing: Standing,
    signal: AbortSignal,
    request: (held: Held) => Promise<Answer>,
  ): Promise<Answer> {
    let heldBytes = Math.min(bytes, this.#halfBytes)
    const shrinkTo = (fewer: number) => {
      const freedBytes = Math.max(0, heldBytes - fewer)
      heldBytes -= freedBytes
      this.#hold(-freedBytes, standing)
      this.#admit()
    }
    if (this.#isNext(standing) && this.#hasRoom(heldBytes, standing)) this.#hold(heldBytes, standing)
    else await this.#turn(heldBytes, standing, signal)
    try {
      return await request({ shrinkTo })
    } finally {
      shrinkTo(0)
    }
  }

  /** Whether nobody waits who comes before a further request. */
  #isNext(standing: Standing): boolean {
    const waiting = this.#waiting
    return waiting[standing].length === 0 && (standing !== 'failing' || waiting.new.length === 0)
  }

  #hasRoom(bytes: number, standing: Standing): boolean {
    if (this.heldBytes + bytes > 2 * this.#halfBytes) return false
    if (standing !== 'proven') return this.#otherBytes + bytes <= this.#halfBytes
    const isShared = this.#waiting.new.length + this.#waiting.failing.length > 0
    return !isShared || this.#provenBytes + bytes <= this.#halfBytes
  }

  #hold(bytes: number, standing: Standing): void {
    if (standing === 'proven') this.#provenBytes += bytes
    else this.#otherBytes += bytes
  }

  #turn(bytes: number, standing: Standing, signal: AbortSignal): Promise<void> {
    const queue = this.#waiting[standing]
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.splice(queue.indexOf(waiting), 1)
        reject(signal.reason)
        this.#admit()
      }
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const waiting = { bytes, enter }
      if (signal.aborted) return reject(signal.reason)
      signal.addEventListener('abort', leave, { once: true })
      queue.push(waiting)
    })
  }

  /** Lets those in whose turn it is, as far as there is room. */
  #admit(): void {
    const { proven, new: first, failing } = this.#waiting
    while (
      this.#admitOne(proven, 'proven') ||
      this.#admitOne(first, 'new') ||
      (first.length === 0 && this.#admitOne(failing, 'failing'))
    );
  }

  #admitOne(queue: Waiting[], standing: Standing): boolean {
    const [next] = queue
    if (next === undefined || !this.#hasRoom(next.bytes, standing)) return false
    queue.shift()
    this.#hold(next.bytes, standing)
    next.enter()
    return true
  }
}
