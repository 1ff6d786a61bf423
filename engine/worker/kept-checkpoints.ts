import type {
  CheckpointGap,
  CheckpointLog,
  CheckpointPlace,
  KeptCheckpoint,
} from '../replay/checkpoint-log.ts'

/**
 * The whole checkpoints of a partition as its worker knows them, and the ones that can be deleted. A worker may have been
 * replaced while it was paused, and must not delete a checkpoint that its successor needs. If it finds records of another
 * worker between its own, it asks the log which two checkpoints count.
 */
export class KeptCheckpoints {
  readonly #log: CheckpointLog
  /** Places, oldest first. A start begins with the last, or with the previous one if that is damaged. */
  #places: CheckpointPlace[] = []
  /** Offset after the last known record of the checkpoint topic. */
  #nextRecord = 0n
  #trimmedTo = 0n
  /** The oldest checkpoint on the log at the last check: a worker knows two of those that others wrote before it. */
  #oldest: CheckpointPlace | undefined

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

  /** First offset that the newest checkpoint does not include. */
  get newestOffset(): bigint {
    return this.#places.at(-1)?.nextOffset ?? 0n
  }

  /** Reads the checkpoints of the log. @returns the one to begin with */
  async load(): Promise<KeptCheckpoint | undefined> {
    this.#nextRecord = await this.#log.nextRecord()
    const newest = await this.#log.newestTwo()
    this.#places = newest.map(placeOf)
    return newest.at(-1)
  }

  /**
   * Goes back to an older checkpoint, since the store lacks data before the newest. Nothing is deleted until two more
   * have been written.
   *
   * @param first first offset that the log still has
   * @returns the checkpoint to begin with
   */
  async goBack(first: bigint, storedTo: bigint): Promise<KeptCheckpoint | undefined> {
    this.#nextRecord = await this.#log.nextRecord()
    const kept = await this.#log.nearest(first, storedTo)
    this.#places = kept === undefined ? [] : [placeOf(kept)]
    return kept
  }

  /** The accepted gap that contains all checkpoints, if one does. */
  gap(): Promise<CheckpointGap | undefined> {
    return this.#log.gapBeforeNewest()
  }

  /** Writes a checkpoint, which counts once this resolves. */
  async write(epoch: bigint, nextOffset: bigint, body: Buffer): Promise<void> {
    const { firstRecord, nextRecord, records } = await this.#log.write(epoch, nextOffset, body)
    const isAlone = firstRecord === this.#nextRecord && nextRecord === firstRecord + BigInt(records)
    this.#nextRecord = nextRecord
    if (!isAlone) await this.load()
    else if (epoch >= (this.#places.at(-1)?.epoch ?? 0n))
      this.#places.push({ epoch, nextOffset, firstRecord })
  }

  /**
   * Deletes checkpoints without any kept record, except for the two newest.
   *
   * @param firstOffset first record of the partition that the log still has; undefined: space is short, and only the two
   *   newest are kept
   */
  async trim(firstOffset: bigint | undefined): Promise<void> {
    const needed = this.#places.findIndex(
      ({ nextOffset }, index) =>
        (firstOffset !== undefined && nextOffset >= firstOffset) || index >= this.#places.length - 2,
    )
    if (needed < 0) return
    this.#places = this.#places.slice(needed)
    const oldest = firstOffset === undefined ? undefined : await this.#oldestFrom(firstOffset)
    // A late checkpoint of a replaced worker is behind newer ones.
    const [firstRecord] = [...this.#places, ...(oldest === undefined ? [] : [oldest])]
      .map(place => place.firstRecord)
      .sort((a, b) => Number(a - b))
    if (firstRecord === undefined || firstRecord <= this.#trimmedTo) return
    await this.#log.trim(firstRecord)
    this.#trimmedTo = firstRecord
  }

  /** The oldest checkpoint of a kept record: a start with an older copy of the store begins with such a checkpoint. */
  async #oldestFrom(offset: bigint): Promise<CheckpointPlace | undefined> {
    if (this.#oldest === undefined || this.#oldest.nextOffset < offset)
      this.#oldest = await this.#log.oldestPlace(offset)
    return this.#oldest
  }
}

function placeOf({ epoch, nextOffset, firstRecord }: CheckpointPlace): CheckpointPlace {
  return { epoch, nextOffset, firstRecord }
}
