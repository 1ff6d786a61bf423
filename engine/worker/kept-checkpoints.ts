import type { CheckpointLog, KeptCheckpoint } from '../replay/checkpoint-log.ts'

type Place = Pick<KeptCheckpoint, 'epoch' | 'nextOffset' | 'firstRecord'>

/**
 * The whole checkpoints of a partition as its worker knows them, and what can be let go because of them. A worker
 * that finds records of another between its own asks the log which two count: it may have been replaced while it
 * stood still, and must not let go of what its successor needs.
 */
export class KeptCheckpoints {
  readonly #log: CheckpointLog
  /** Oldest first: a start begins with the last, or with the one before when that is damaged. */
  #places: Place[] = []
  /** Record of the checkpoint topic that follows the last one that is known here. */
  #nextRecord = 0n
  #trimmedTo = 0n

  constructor(log: CheckpointLog) {
    this.#log = log
  }

  get count(): number {
    return this.#places.length
  }

  /** First offset of the ingest partition that a start may need. */
  get neededFrom(): bigint {
    return this.#places.at(-2)?.nextOffset ?? 0n
  }

  /** First offset that the newest does not include. */
  get newestOffset(): bigint {
    return this.#places.at(-1)?.nextOffset ?? 0n
  }

  /** Learns from the log which there are. @returns the one to begin with */
  async load(): Promise<KeptCheckpoint | undefined> {
    this.#nextRecord = await this.#log.nextRecord()
    const newest = await this.#log.newestTwo()
    this.#places = newest.map(({ epoch, nextOffset, firstRecord }) => ({ epoch, nextOffset, firstRecord }))
    return newest.at(-1)
  }

  /** Where a start begins that has none: at the beginning of the log, or of an accepted gap that they all lie in. */
  async beginning(): Promise<bigint> {
    return (await this.#log.gapBeforeNewest()) ?? 0n
  }

  /** Writes one; it counts once this resolves. */
  async write(epoch: bigint, nextOffset: bigint, body: Buffer): Promise<void> {
    const { firstRecord, nextRecord, records } = await this.#log.write(epoch, nextOffset, body)
    const isAlone = firstRecord === this.#nextRecord && nextRecord === firstRecord + BigInt(records)
    this.#nextRecord = nextRecord
    if (!isAlone) await this.load()
    else if (epoch >= (this.#places.at(-1)?.epoch ?? 0n))
      this.#places.push({ epoch, nextOffset, firstRecord })
  }

  /**
   * Lets go of checkpoints that belong to no record that is kept, but for the two newest.
   *
   * @param firstOffset first record of the partition that the log still has; undefined: room is short, and only the
   *                    two newest are worth it
   */
  async trim(firstOffset: bigint | undefined): Promise<void> {
    const needed = this.#places.findIndex(
      ({ nextOffset }, index) =>
        (firstOffset !== undefined && nextOffset >= firstOffset) || index >= this.#places.length - 2,
    )
    if (needed < 0) return
    this.#places = this.#places.slice(needed)
    // The late one of a worker that was replaced lies behind newer ones.
    const [firstRecord] = this.#places.map(place => place.firstRecord).sort((a, b) => Number(a - b))
    if (firstRecord === undefined || firstRecord <= this.#trimmedTo) return
    await this.#log.trim(firstRecord)
    this.#trimmedTo = firstRecord
  }
}
