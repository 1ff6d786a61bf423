/** Keys of one node that are not judged until a log time, UNIX ms; undefined is the key of events without one. */
export class ExemptKeys {
  readonly #untilMs = new Map<string | undefined, number>()

  /** Whether events of that key pass unjudged at that time. */
  holds(key: string | undefined, timeMs: number): boolean {
    // Nearly always empty, and asked for each event.
    return this.#untilMs.size > 0 && timeMs < this.untilMs(key)
  }

  /** When the exemption of a key ends; -Infinity without one. */
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
