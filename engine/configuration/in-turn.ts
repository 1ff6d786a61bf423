/**
 * Runs pieces of work with the same key one after the other in this process. The log resolves conflicts between processes; this
 * class only avoids events of writers that would lose against each other.
 */
export class InTurn {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const turn = (before ?? Promise.resolve()).then(work)
    const ended = turn.catch(() => undefined)
    this.#last.set(key, ended)
    try {
      return await turn
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key)
    }
  }
}
