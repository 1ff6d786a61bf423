import { InTurn } from '../../configuration/in-turn.ts'
import type { BatchRulesSource } from '../../delivery/fold/batch-rules.ts'
import { DeliveryFold, type OutboxIdentity } from '../../delivery/fold/delivery-fold.ts'
import type { CheckpointLog } from '../../replay/checkpoint-log.ts'

const TURN = 'the checkpoints'

/** The state of a fold after the records before an offset. */
export interface LanesState {
  readonly nextOffset: bigint
  /** Encoded. */
  readonly body: Buffer
}

/**
 * Checkpoints of an outbox partition. A start needs the newest, or the one before it if the newest is damaged. Nothing that the lanes
 * of that one need may be trimmed. Each write asks the log which two they are, because another worker may have written, too.
 */
export class LaneCheckpoints {
  readonly #log: CheckpointLog
  readonly #rules: BatchRulesSource
  readonly #identity: OutboxIdentity
  readonly #inTurn = new InTurn()
  #neededFrom = 0n
  /** First record of the older one on the checkpoint topic. */
  #firstRecord = 0n

  constructor(log: CheckpointLog, rules: BatchRulesSource, identity: OutboxIdentity) {
    this.#log = log
    this.#rules = rules
    this.#identity = identity
  }

  /** First record of the partition that a start may need. */
  get neededFrom(): bigint {
    return this.#neededFrom
  }

  /**
   * The fold of the newest whole checkpoint; without one, an empty fold. If records of all checkpoints were lost and their loss was
   * accepted, the empty fold begins with the first record that is kept, so delivered events are sent again, and none is left out.
   *
   * @param first first record that the partition keeps
   * @throws FoldError like `DeliveryFold.restored`
   */
  async newest(first: bigint): Promise<DeliveryFold> {
    const newest = (await this.#readTwo()).at(-1)
    if (newest !== undefined) return newest
    const isLost = (await this.#log.gapBeforeNewest()) !== undefined
    return new DeliveryFold(this.#rules, this.#identity, isLost ? first : 0n)
  }

  /** Writes a checkpoint. It counts once this resolves. */
  async write(epoch: bigint, { nextOffset, body }: LanesState): Promise<void> {
    await this.#inTurn.run(TURN, async () => {
      await this.#log.write(epoch, nextOffset, body)
      await this.#readTwo()
    })
  }

  /**
   * Removes checkpoints without any kept record, except for the two newest: explanations begin with one.
   *
   * @param firstOffset first record of the partition that the log still has; undefined: room is short, and only the two newest are kept
   */
  async trim(firstOffset: bigint | undefined): Promise<void> {
    // A write reads some of the newest checkpoints, which must not be removed meanwhile.
    await this.#inTurn.run(TURN, async () => {
      const oldest = firstOffset === undefined ? undefined : await this.#log.oldestPlace(firstOffset)
      const isOlder = oldest !== undefined && oldest.firstRecord < this.#firstRecord
      await this.#log.trim(isOlder ? oldest.firstRecord : this.#firstRecord)
    })
  }

  async #readTwo(): Promise<readonly DeliveryFold[]> {
    const kept = await this.#log.newestTwo()
    const folds = kept.map(({ body }) => DeliveryFold.restored(this.#rules, this.#identity, body))
    const [older, newest] = folds
    if (older !== undefined && newest !== undefined) {
      this.#neededFrom = older.neededFrom
      this.#firstRecord = kept[0]?.firstRecord ?? 0n
    }
    return folds
  }
}
