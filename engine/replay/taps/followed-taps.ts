import { partitionOfAccount } from '../../../schemas/log/topics.ts'
import type { Clock } from '../../clock/clock.ts'
import type { PipelineInEffect } from '../../fold/run-watch.ts'
import type { Topic } from '../../log/log.ts'
import type { CheckpointedTopic } from '../../log/partitioned-topics.ts'
import type { Logger } from '../../logger.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import { FollowedPartition, partitionsOf } from '../followed-partition.ts'
import type { ReplayedPartition } from '../replay.ts'
import type { Tap, TapBounds, TapMessage } from './tap.ts'
import { LiveTaps, type TapPlace, type Taps } from './taps.ts'

export interface FollowedTapsOptions {
  readonly catalogue: Catalogue
  readonly ingest: Topic
  readonly checkpoints: Topic
  readonly keyed: CheckpointedTopic
  readonly clock: Clock
  readonly logger: Logger
  /** Whether an account's lines are, or were, on all partitions. */
  readonly isSpread: (account: string) => boolean
}

/** A partition that is followed for the taps of an account. */
interface Followed {
  readonly taps: Set<Tap>
  readonly leave: AbortController
}

/**
 * Taps in a process that does not own the partitions. It folds the watched accounts itself, beside the owners of the
 * partitions, while there are watchers. The taps of an account share one fold.
 */
export class FollowedTaps implements Taps {
  readonly #options: FollowedTapsOptions
  readonly #taps: LiveTaps
  readonly #followed = new Map<string, Followed>()

  constructor(options: FollowedTapsOptions) {
    this.#options = options
    this.#taps = new LiveTaps(options.catalogue, options.clock)
  }

  open(
    place: TapPlace,
    bounds: TapBounds,
    inEffect: PipelineInEffect,
    receive: (message: TapMessage) => void,
  ): Tap {
    const tap = this.#taps.open(place, bounds, inEffect, receive)
    for (const source of this.#sourcesOf(place.account)) this.#follow(source, place.account, tap)
    return tap
  }

  #sourcesOf(account: string): ReplayedPartition[] {
    const { catalogue, ingest, checkpoints, keyed, isSpread } = this.#options
    if (isSpread(account))
      return [
        ...partitionsOf(catalogue, ingest, checkpoints),
        ...partitionsOf(catalogue, keyed.topic, keyed.checkpoints),
      ]
    const partition = partitionOfAccount(account, ingest.partitions)
    return [{ catalogue, topic: ingest, checkpoints, partition }]
  }

  #follow(source: ReplayedPartition, account: string, tap: Tap): void {
    const key = `${source.topic.name} ${source.partition} ${account}`
    const followed = this.#followed.get(key) ?? this.#begin(key, source, account)
    followed.taps.add(tap)
    const leave = () => {
      followed.taps.delete(tap)
      if (followed.taps.size === 0) this.#end(key, followed)
    }
    tap.signal.addEventListener('abort', leave, { once: true })
  }

  #begin(key: string, source: ReplayedPartition, account: string): Followed {
    const { clock, logger } = this.#options
    const followed: Followed = { taps: new Set(), leave: new AbortController() }
    this.#followed.set(key, followed)
    const { signal } = followed.leave
    new FollowedPartition(source, { account }, clock, this.#taps).run(signal).catch(error => {
      if (signal.aborted) return
      const { topic, partition } = source
      logger.error({ topic: topic.name, partition, err: error }, 'a partition cannot be followed for taps')
      for (const tap of [...followed.taps]) tap.end('failed')
    })
    return followed
  }

  #end(key: string, followed: Followed): void {
    followed.leave.abort('there is no reader left')
    if (this.#followed.get(key) === followed) this.#followed.delete(key)
  }
}
