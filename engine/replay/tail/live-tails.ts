import { DEFAULT_RETENTION_DAYS } from '../../../schemas/log/cuts.ts'
import type { LineIdParts } from '../../../schemas/log/position.ts'
import { partitionOfAccount } from '../../../schemas/log/topics.ts'
import type { Clock } from '../../clock/clock.ts'
import type { ConfigurationLog } from '../../configuration/configuration-log.ts'
import { accounts, spreads } from '../../configuration/entities.ts'
import type { Topic } from '../../log/log.ts'
import type { Logger } from '../../logger.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import { CheckpointLog } from '../checkpoint-log.ts'
import {
  type LineVisibility,
  type TailedFrom,
  TailedPartition,
  type TailListener,
} from './tailed-partition.ts'

const FROM_FIRST: TailedFrom = { offset: 0n, afterRow: -1 }

/** The log does not have the line behind which a tail was to begin. */
export class LineGoneError extends Error {
  override readonly name = 'LineGoneError'
}

export interface LiveTailsOptions {
  readonly catalogue: Catalogue
  readonly ingest: Topic
  readonly checkpoints: Topic
  readonly configuration: Pick<ConfigurationLog, 'get' | 'subscribe'>
  readonly clock: Clock
  readonly logger: Logger
  /** Default: every line that was accepted. */
  readonly isSeen?: LineVisibility | undefined
}

/** Partitions that are being read, with the signals that end this. */
interface Followed {
  readonly reader: TailedPartition
  readonly leave: AbortController
}

/**
 * Accepted lines of accounts, for watchers. They are read from the log itself, so any process can have accepted or
 * processed them. Each partition is read once for all watchers of its accounts.
 */
export class LiveTails {
  readonly #options: LiveTailsOptions
  readonly #followed = new Map<number, Followed>()
  readonly #open = new Set<OpenTail>()

  constructor(options: LiveTailsOptions) {
    this.#options = options
    options.configuration.subscribe(() => {
      for (const tail of this.#open) this.#followNew(tail)
    })
  }

  /**
   * Shows every line of an account that is accepted from now on, until the signal.
   *
   * @param after line behind which it begins. In other partitions it begins with the records of the time of the line, of
   *   which some may have been shown
   * @throws LogError when the end of the log cannot be read; LineGoneError
   */
  async open(
    account: string,
    listener: TailListener,
    signal: AbortSignal,
    after?: LineIdParts,
  ): Promise<void> {
    const partitions = this.#partitionsOf(account)
    if (after !== undefined && !partitions.includes(after.partition)) throw new LineGoneError()
    const starts = await Promise.all(partitions.map(partition => this.#startIn(partition, after)))
    if (signal.aborted) return
    const tail: OpenTail = { account, listener, signal, partitions: new Set() }
    this.#open.add(tail)
    signal.addEventListener('abort', () => this.#open.delete(tail), { once: true })
    for (const [index, partition] of partitions.entries())
      this.#follow(tail, partition, starts[index] ?? FROM_FIRST, after !== undefined)
    this.#followNew(tail)
  }

  async #startIn(partition: number, after: LineIdParts | undefined): Promise<TailedFrom> {
    const { ingest, checkpoints } = this.#options
    const { first, next } = await ingest.bounds(partition)
    if (after === undefined) return { offset: next, afterRow: -1 }
    if (partition !== after.partition) {
      const offset = (await ingest.offsetAtTime(partition, after.timeMs)) ?? next
      return { offset, afterRow: -1 }
    }
    if (after.offset < first || after.offset >= next) throw new LineGoneError()
    const log = new CheckpointLog(checkpoints, { topic: ingest, partition })
    // Without a checkpoint before it, the log time is not known, and neither are the ids of lines.
    if (first > 0n && (await log.nearest(first, after.offset)) === undefined) throw new LineGoneError()
    return { offset: after.offset, afterRow: after.row }
  }

  /** All partitions if the account is or was spread: see `lineRouting`. */
  #partitionsOf(account: string): number[] {
    const { ingest, configuration } = this.#options
    if (configuration.get(spreads, account) === undefined)
      return [partitionOfAccount(account, ingest.partitions)]
    return Array.from({ length: ingest.partitions }, (_, partition) => partition)
  }

  /** Follows partitions over which the account was spread in the meantime; all of its lines there are new. */
  #followNew(tail: OpenTail): void {
    for (const partition of this.#partitionsOf(tail.account)) this.#follow(tail, partition, FROM_FIRST, false)
  }

  /** @param isPast whether the tail begins in the past: it then has a reader of its own */
  #follow(tail: OpenTail, partition: number, from: TailedFrom, isPast: boolean): void {
    const { account, listener, signal, partitions } = tail
    if (partitions.has(partition)) return
    partitions.add(partition)
    const followed = isPast
      ? this.#begin(partition, from.offset, tail)
      : (this.#followed.get(partition) ?? this.#begin(partition))
    followed.reader.join(account, listener, from)
    const leave = () => {
      followed.reader.leave(account, listener)
      if (!followed.reader.isWatched) this.#end(partition, followed)
    }
    signal.addEventListener('abort', leave, { once: true })
  }

  /** @param reach offset of the past at which a reader of one tail begins; absent: the reader of all others */
  #begin(partition: number, reach?: bigint, only?: OpenTail): Followed {
    const {
      catalogue,
      ingest,
      checkpoints,
      configuration,
      clock,
      logger,
      isSeen = () => true,
    } = this.#options
    const retentionDaysOf = (account: string) =>
      configuration.get(accounts, account)?.value.retentionDays ?? DEFAULT_RETENTION_DAYS
    const ports = { clock, logger, retentionDaysOf, isSeen }
    const followed = {
      reader: new TailedPartition({ catalogue, topic: ingest, checkpoints, partition }, ports, reach),
      leave: new AbortController(),
    }
    if (only === undefined) this.#followed.set(partition, followed)
    const { signal } = followed.leave
    followed.reader.run(signal).catch(error => {
      if (signal.aborted) return
      logger.error({ topic: ingest.name, partition, err: error }, 'a partition cannot be read for tails')
      this.#end(partition, followed)
      for (const tail of only === undefined ? [...this.#open] : [only])
        if (tail.partitions.has(partition)) tail.listener.fail()
    })
    return followed
  }

  #end(partition: number, followed: Followed): void {
    followed.leave.abort('there is no reader left')
    if (this.#followed.get(partition) === followed) this.#followed.delete(partition)
  }
}

interface OpenTail {
  readonly account: string
  readonly listener: TailListener
  readonly signal: AbortSignal
  /** Partitions that are followed for it. */
  readonly partitions: Set<number>
}
