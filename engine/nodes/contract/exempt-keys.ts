/** Keys of one node that are not limited until a log time, UNIX ms; undefined is the key of events without one. */
export class ExemptKeys {
  readonly #untilMs = new Map<string | undefined, number>()

  /** Whether events of that key pass unjudged at that time. */
  holds(key: string | undefined, timeMs: number): boolean {
    // This runs for each event, and the map is nearly always empty.
    return this.#untilMs.size > 0 && timeMs < this.untilMs(key)
  }

  /** End of the exemption of a key, UNIX ms; -Infinity without one. */
  untilMs(key: string | undefined): number {
    return this.#untilMs.get(key) ?? Number.NEGATIVE_INFINITY
  }

  set(key: string | undefined, untilMs: number): void {
    this.#untilMs.set(key, untilMs)
  }

  remove(key: string | undefined): void {
    this.#untilMs.delete(key)
  }
}
