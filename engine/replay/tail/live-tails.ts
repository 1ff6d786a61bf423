import { DEFAULT_RETENTION_DAYS } from '../../../schemas/log/cuts.ts'
import { partitionOfAccount } from '../../../schemas/log/topics.ts'
import type { Clock } from '../../clock/clock.ts'
import type { ConfigurationLog } from '../../configuration/configuration-log.ts'
import { accounts, spreads } from '../../configuration/entities.ts'
import type { Topic } from '../../log/log.ts'
import type { Logger } from '../../logger.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import { type LineVisibility, TailedPartition, type TailListener } from './tailed-partition.ts'

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
   * @throws LogError when the end of the log cannot be read
   */
  async open(account: string, listener: TailListener, signal: AbortSignal): Promise<void> {
    const { ingest } = this.#options
    const partitions = this.#partitionsOf(account)
    const bounds = await Promise.all(partitions.map(partition => ingest.bounds(partition)))
    if (signal.aborted) return
    const tail: OpenTail = { account, listener, signal, partitions: new Set() }
    this.#open.add(tail)
    signal.addEventListener('abort', () => this.#open.delete(tail), { once: true })
    for (const [index, partition] of partitions.entries())
      this.#follow(tail, partition, bounds[index]?.next ?? 0n)
    this.#followNew(tail)
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
    for (const partition of this.#partitionsOf(tail.account)) this.#follow(tail, partition, 0n)
  }

  #follow(tail: OpenTail, partition: number, from: bigint): void {
    const { account, listener, signal, partitions } = tail
    if (partitions.has(partition)) return
    partitions.add(partition)
    const followed = this.#followed.get(partition) ?? this.#begin(partition)
    followed.reader.join(account, listener, from)
    const leave = () => {
      followed.reader.leave(account, listener)
      if (!followed.reader.isWatched) this.#end(partition, followed)
    }
    signal.addEventListener('abort', leave, { once: true })
  }

  #begin(partition: number): Followed {
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
      reader: new TailedPartition({ catalogue, topic: ingest, checkpoints, partition }, ports),
      leave: new AbortController(),
    }
    this.#followed.set(partition, followed)
    const { signal } = followed.leave
    followed.reader.run(signal).catch(error => {
      if (signal.aborted) return
      logger.error({ topic: ingest.name, partition, err: error }, 'a partition cannot be read for tails')
      this.#end(partition, followed)
      for (const tail of [...this.#open]) if (tail.partitions.has(partition)) tail.listener.fail()
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
