import { checkpointType } from '../../schemas/log/checkpoint.ts'
import type { Control } from '../../schemas/log/control.ts'
import type { DeployedConfiguration } from '../../schemas/log/deployed-configuration.ts'
import { FoldError } from '../fold/fold-error.ts'
import { foldIdentity, PartitionFold } from '../fold/partition-fold.ts'
import { TailLostError } from '../log/guarded-topic.ts'
import type { Appended, Topic } from '../log/log.ts'
import type { Logger } from '../logger.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import { findLostTail } from '../replay/lost-tail.ts'
import {
  isOlder,
  missingRecords,
  OlderStoreError,
  type StoredPart,
  storedPart,
} from '../replay/older-store.ts'
import type { Store } from '../store/store.ts'
import { inTurns, type LoopTurns } from '../turns/loop-turns.ts'
import type { KeptCheckpoints } from './kept-checkpoints.ts'
import type { PartitionOwnership } from './partition-ownership.ts'
import type { Retries } from './retries.ts'
import { SettledTables } from './settled-tables.ts'

export interface PartitionStartOptions {
  readonly catalogue: Catalogue
  readonly topic: Topic
  readonly partition: number
  readonly checkpoints: Topic
  readonly store: Store
  readonly configuration: Pick<DeployedConfiguration, 'begunQuarantine'>
  readonly logger: Logger
  /** Name in the owner record. */
  readonly workerName: string
  /** Whether checkpoints should be written so that the log can free space. */
  readonly spaceIsShort?: (() => boolean) | undefined
  readonly kept: KeptCheckpoints
  readonly ownership: PartitionOwnership
  readonly retries: Retries
  readonly turns: LoopTurns
  readonly append: (body: Control['body'], signal: AbortSignal | undefined) => Promise<Appended>
}

/** State with which the worker of a partition continues. */
export interface TakenPartition {
  readonly fold: PartitionFold
  readonly settled: SettledTables
  /** First offset behind the records that an older copy of the store lacks; undefined: it lacks none. */
  readonly refillsTo: bigint | undefined
}

interface Beginning {
  readonly fold: PartitionFold
  /** Every batch below this offset is stored. */
  readonly storedTo: bigint
}

/** Takes a partition for its worker: owner record, epoch, newest checkpoint, settled positions. */
export class PartitionStart {
  readonly #options: PartitionStartOptions

  constructor(options: PartitionStartOptions) {
    this.#options = options
  }

  /**
   * The order of claim, checkpoint and settling makes a restart at any instant go on exactly where the store ended.
   *
   * @param signal ends the waiting for a store that is away, by the error that it answers
   * @throws TailLostError, OlderStoreError, FoldError, ReplacedError, LogError, StoreError
   */
  async take(signal: AbortSignal | undefined): Promise<TakenPartition> {
    const { topic, partition, store, workerName, logger, ownership, retries, append } = this.#options
    await this.#assertWhole(signal)
    const older = await this.#olderStore(signal)
    // A store that is an older copy may need all of the log that is there.
    if (older === undefined && this.#options.spaceIsShort?.() === true) await this.#freeRoom()
    // An owner record that comes late would end the worker of the partition's present owner.
    signal?.throwIfAborted()
    const owner = await append({ 'weir.Owner': { worker: workerName } }, signal)
    signal?.throwIfAborted()
    await retries.run('claim', () => ownership.take(owner.offset), signal)
    await this.#assertNoBegunQuarantine(signal)
    const { fold, storedTo } = await this.#beginning(older)
    await this.#checkKeptLog(fold)
    const settle = () => SettledTables.read(store, foldIdentity(topic, partition), fold, storedTo)
    const settled = await retries.run('settle', settle, signal)
    fold.processedTo = settled.endOffset
    const knownTo = older?.knownTo ?? 0n
    if (knownTo > fold.processedTo) fold.processedTo = knownTo
    const place = { topic: topic.name, partition, epoch: String(owner.offset) }
    const taken = { ...place, from: String(fold.nextOffset), settled: settled.toString() }
    logger.info(taken, 'partition taken')
    return { fold, settled, refillsTo: older?.knownTo }
  }

  /** Refuses a log that ends before its known end: an appended record would take the place of a lost one. */
  async #assertWhole(signal: AbortSignal | undefined): Promise<void> {
    const look = () => findLostTail(this.#options, this.#options.partition)
    const lost = await this.#options.retries.run('find out where the log must end', look, signal)
    if (lost !== undefined) throw new TailLostError(lost)
  }

  /**
   * Handles an older copy of the store, which lacks lines from before the newest checkpoint.
   *
   * @throws OlderStoreError when not all of it can be stored again; FoldError when a newer program wrote the checkpoint:
   *   the partition is left to such programs, without an owner record that would end their workers
   */
  async #olderStore(signal: AbortSignal | undefined): Promise<StoredPart | undefined> {
    const { topic, partition, store, logger } = this.#options
    const look = () => storedPart(this.#options, partition)
    const part = await this.#options.retries.run('find the stored position', look, signal)
    if (part === undefined) return undefined
    const missing = await missingRecords(this.#options, part)
    if (missing !== undefined) throw new OlderStoreError(missing)
    // Marked before the claim, also where nothing is stored yet: afterwards the owner in a copy proves nothing.
    const { storedTo, knownTo, settledMs } = part
    const mark = () => store.markStored({ topic: topic.name, partition }, { storedTo, settledMs })
    if (!part.isMarked) await this.#options.retries.run('mark what is stored', mark, signal)
    if (!isOlder(part)) return undefined
    const message = 'the store is an older copy: the missing lines are stored again from the log'
    logger.warn({ topic: topic.name, partition, has: String(storedTo), lacks: String(knownTo) }, message)
    return part
  }

  /**
   * Reads the configuration after the claim: an operator may have put a record into quarantine that no earlier worker has passed.
   *
   * @throws FoldError while the command for that works: it finds out whether an earlier worker has stored the record
   */
  async #assertNoBegunQuarantine(signal: AbortSignal | undefined): Promise<void> {
    const { topic, partition, configuration, retries } = this.#options
    const look = () => configuration.begunQuarantine(topic.name, partition)
    const command = await retries.run('read the configuration', look, signal)
    if (command === undefined) return
    throw new FoldError(
      `partition ${partition} of ${topic.name} waits for the end of "${command}": if it was interrupted, run it again`,
    )
  }

  /** Begins with the newest checkpoint, or with an older one before everything that an older copy of the store lacks. */
  async #beginning(older: StoredPart | undefined): Promise<Beginning> {
    const { catalogue, topic, partition } = this.#options
    const { first } = await topic.bounds(partition)
    if (older !== undefined) {
      const kept = await this.#options.kept.goBack(first, older.storedTo)
      return { fold: await this.#restored(kept?.body), storedTo: older.storedTo }
    }
    const newest = await this.#options.kept.load()
    if (newest !== undefined) return { fold: await this.#restored(newest.body), storedTo: 0n }
    const gap = await this.#options.kept.gap()
    // Without a checkpoint outside of gaps, only a whole log contains the counts and states from before the gap.
    // In a topic that was created again, nobody knows whether the records before the gap are those that were stored.
    const isOfThisLog = gap?.body !== undefined && checkpointType.decode(gap.body).logId === topic.logId
    const from = first === 0n && isOfThisLog ? 0n : (gap?.from ?? 0n)
    const identity = foldIdentity(topic, partition)
    return { fold: new PartitionFold(catalogue, identity, undefined, from), storedTo: gap?.from ?? 0n }
  }

  #restored(checkpoint: Buffer | undefined): Promise<PartitionFold> {
    const { catalogue, topic, partition, turns } = this.#options
    const restoring = PartitionFold.restoring(catalogue, foldIdentity(topic, partition), checkpoint)
    return inTurns(restoring, turns.begin())
  }

  /** Trims a log that takes no more control records: trimming does not need one, whichever process owns the partition. */
  async #freeRoom(): Promise<void> {
    const { topic, partition } = this.#options
    await this.#options.kept.load()
    await topic.trim(partition, this.#options.kept.neededFrom)
    await this.#options.kept.trim(undefined)
  }

  async #checkKeptLog({ nextOffset }: PartitionFold): Promise<void> {
    const { topic, partition } = this.#options
    const { first } = await topic.bounds(partition)
    if (first > nextOffset) {
      throw new FoldError(
        `partition ${partition} of ${topic.name} begins at ${first}, but its newest checkpoint needs ${nextOffset}: records that were never stored are gone; restore the log's files, or the checkpoints, from a backup`,
      )
    }
  }
}
