/**
 * Windows by the time at which they end. A heap contains each time once. Windows are examined only when they end, so a
 * step costs the same however many are open.
 */
export class WindowEnds<Window> {
  readonly #endOf: (window: Window) => number
  /** Times with a set of windows, earliest first. */
  readonly #heap: number[] = []
  /** A set that is empty stays until its time is the earliest. */
  readonly #ending = new Map<number, Set<Window>>()
  #compared = 0

  /** @param endOf time at which a window ends */
  constructor(endOf: (window: Window) => number) {
    this.#endOf = endOf
  }

  /** Infinity without windows. */
  get earliestMs(): number {
    for (;;) {
      const earliest = this.#heap[0]
      if (earliest === undefined) return Number.POSITIVE_INFINITY
      if ((this.#ending.get(earliest)?.size ?? 0) > 0) return earliest
      this.#ending.delete(earliest)
      this.#removeFirst()
    }
  }

  /** Number of times compared so far, which is the cost of this class. */
  get compared(): number {
    return this.#compared
  }

  add(window: Window): void {
    const endMs = this.#endOf(window)
    const ending = this.#ending.get(endMs)
    if (ending !== undefined) {
      ending.add(window)
      return
    }
    this.#ending.set(endMs, new Set([window]))
    this.#insert(endMs)
  }

  remove(window: Window): void {
    this.#ending.get(this.#endOf(window))?.delete(window)
  }

  /** Windows that are due at a time, in any order. */
  endingBy(timeMs: number): Window[] {
    const due: Window[] = []
    const places = [0]
    for (let place = places.pop(); place !== undefined; place = places.pop()) {
      this.#compared++
      const endMs = this.#heap[place]
      if (endMs === undefined || endMs > timeMs) continue
      for (const window of this.#ending.get(endMs) ?? []) due.push(window)
      places.push(2 * place + 1, 2 * place + 2)
    }
    return due
  }

  #insert(endMs: number): void {
    const heap = this.#heap
    let place = heap.push(endMs) - 1
    while (place > 0) {
      const above = (place - 1) >> 1
      this.#compared++
      if ((heap[above] as number) <= endMs) break
      heap[place] = heap[above] as number
      place = above
    }
    heap[place] = endMs
  }

  #removeFirst(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let place = 0
    for (;;) {
      let below = 2 * place + 1
      if (below >= heap.length) break
      this.#compared += 2
      if (below + 1 < heap.length && (heap[below + 1] as number) < (heap[below] as number)) below++
      if (last <= (heap[below] as number)) break
      heap[place] = heap[below] as number
      place = below
    }
    heap[place] = last
  }
}
