/** An append that is repeated for want of an answer lands seconds after the first time, if both have. */
export const REPEAT_WITHIN_RECORDS = 1_000n

/**
 * Ids of the events on the last records of the configuration log, by which everybody tells alike that an event is there
 * a second time. What it says follows from those records alone: whoever begins at a snapshot reads them first.
 */
export class RecentEvents {
  /** By id, in the order of the offsets. */
  readonly #offsets = new Map<string, bigint>()

  /** Notes an event. @returns false when it lies within the 1,000 records before, too */
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
