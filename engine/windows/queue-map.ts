/** Number of values at which the iteration begins anew for the first time. */
const FIRST_RENEWAL = 5

/** Values by key, in the order in which they were added. */
export class QueueMap<Key, Value> {
  readonly #values = new Map<Key, Value>()
  /** Iterates over the keys, once: starting from the front each time would pass all that were removed there. */
  #keys = this.#values.keys()
  /** Key that the iteration gave last, unless it was removed. */
  #first: Key | undefined
  /** Number of values at which the iteration begins anew: it keeps all smaller tables of the map in memory until it goes on. */
  #renewal = FIRST_RENEWAL

  get size(): number {
    return this.#values.size
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key)
  }

  /** Adds a value behind all others. The key must not be present. */
  add(key: Key, value: Value): void {
    this.#values.set(key, value)
    if (this.#values.size < this.#renewal) return
    this.#keys = this.#values.keys()
    this.#renewal = 2 * this.#renewal - 1
  }

  /** Gives a present key another value, at its place. */
  replace(key: Key, value: Value): void {
    this.#values.set(key, value)
  }

  delete(key: Key): void {
    this.#values.delete(key)
    if (key === this.#first) this.#first = undefined
  }

  /** Key that was added before all others. */
  get first(): Key | undefined {
    if (this.#first !== undefined) return this.#first
    this.#first = this.#keys.next().value
    if (this.#first !== undefined) return this.#first
    // An iterator does not continue after its end.
    this.#keys = this.#values.keys()
    this.#first = this.#keys.next().value
    return this.#first
  }

  entries(): IterableIterator<[key: Key, value: Value]> {
    return this.#values.entries()
  }

  /** Brings the values into another order. */
  sort(compare: (one: Value, other: Value) => number): void {
    const sorted = [...this.#values].sort(([, one], [, other]) => compare(one, other))
    this.#values.clear()
    this.#keys = this.#values.keys()
    this.#first = undefined
    for (const [key, value] of sorted) this.#values.set(key, value)
  }
}
