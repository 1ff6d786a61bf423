/**
 * Number of records within which a repeat is recognised. A repeated append arrives seconds after the first one, if both succeed.
 */
export const REPEAT_WITHIN_RECORDS = 1_000n

/**
 * Ids of the events on the last records of the configuration log, by which every process recognises a repeated event. The result
 * follows from those records alone: a process that begins at a snapshot reads them first.
 */
export class RecentEvents {
  /** Offsets by id, in ascending order. */
  readonly #offsets = new Map<string, bigint>()

  /** Adds an event. @returns false when the previous 1,000 records contain it as well */
  note(id: string, offset: bigint): boolean {
    for (const [known, at] of this.#offsets) {
      if (at + REPEAT_WITHIN_RECORDS >= offset) break
      this.#offsets.delete(known)
    }
    const isNew = !this.#offsets.delete(id)
    this.#offsets.set(id, offset)
    return isNew
  }
}
