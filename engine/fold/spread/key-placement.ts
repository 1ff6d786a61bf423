import { INGEST_TOPIC, KEYED_TOPIC, partitionOfAccount } from '../../../schemas/log/topics.ts'
import type { Target } from './target.ts'

/** Partition that a fold reads. */
export interface FoldPartition {
  readonly topic: string
  readonly partition: number
  /** Number of partitions of the ingest topic, and of the keyed topic. */
  readonly partitions: number
}

/**
 * Placement of the memory of an account's keys, as one fold sees it. Keys are divided into as many shares as there are
 * partitions. A share is either in the account's home partition or in the keyed partition of its number, and moves as a
 * whole. Its holder judges the events of its keys. Any other partition sends them to the last known place of the share.
 */
export class KeyPlacement {
  readonly #own: FoldPartition
  readonly home: number
  /** Placement by the newest cut: memory in the keyed partitions, or at home. */
  isSpread = false
  readonly #here: Set<number>

  constructor(account: string, own: FoldPartition) {
    this.#own = own
    this.home = partitionOfAccount(account, own.partitions)
    this.#here = new Set(this.isHome ? allPartitions(own.partitions) : [])
  }

  get isHome(): boolean {
    return this.#own.topic === INGEST_TOPIC && this.#own.partition === this.home
  }

  shareOf = (hash: number): number => hash % this.#own.partitions

  /** Shares in this partition. */
  get shares(): readonly number[] {
    return [...this.#here].sort((a, b) => a - b)
  }

  get missing(): readonly number[] {
    return allPartitions(this.#own.partitions).filter(share => !this.#here.has(share))
  }

  take(share: number): void {
    this.#here.add(share)
  }

  give(share: number): void {
    this.#here.delete(share)
  }

  /** Partition that judges the events of a share; undefined: this one. */
  targetOf(share: number): Target | undefined {
    if (this.#here.has(share)) return undefined
    const isItsKeyedPartition = this.#own.topic === KEYED_TOPIC && this.#own.partition === share
    return isItsKeyedPartition
      ? { topic: 'ingest', partition: this.home }
      : { topic: 'keyed', partition: share }
  }

  get keyedPartitions(): readonly Target[] {
    return allPartitions(this.#own.partitions).map(partition => ({ topic: 'keyed', partition }))
  }

  get homePartition(): Target {
    return { topic: 'ingest', partition: this.home }
  }

  snapshot() {
    return { isSpread: this.isSpread, here: this.shares }
  }

  restore({ isSpread, here }: ReturnType<KeyPlacement['snapshot']>): void {
    this.isSpread = isSpread
    this.#here.clear()
    for (const share of here) this.#here.add(share)
  }
}

function allPartitions(count: number): number[] {
  return Array.from({ length: count }, (_, partition) => partition)
}
