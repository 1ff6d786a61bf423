import type { Admin } from 'kafkajs'
import type { Clock } from '../../clock/clock.ts'
import type { Logger } from '../../logger.ts'
import { LogError } from '../log.ts'

export const MIN_IN_SYNC = 'min.insync.replicas'
const MOST_COPIES = 3
/** Time to wait for more brokers: brokers that start together become visible one after the other. */
const SETTLED_AFTER_MS = 3_000
const LOOK_EVERY_MS = 250

export interface WantedCopiesOptions {
  readonly admin: Pick<Admin, 'describeCluster'>
  readonly clock: Clock
  readonly logger: Logger
  /** Number set by the operator; undefined: as many as the brokers can keep, at most 3. */
  readonly asked: number | undefined
}

/**
 * Present state: the lowest number of copies of any partition, and the number of brokers that must have a record before
 * it counts.
 */
export interface PresentCopies {
  readonly topic: string
  readonly copies: number
  readonly inSync: number
}

/** Number of brokers that are to keep each record. */
export class WantedCopies {
  readonly #options: WantedCopiesOptions
  #chosen: number | undefined

  constructor(options: WantedCopiesOptions) {
    this.#options = options
  }

  /** Number for a topic that is created now and keeps it forever: waits until starting brokers are visible. */
  async forCreation(): Promise<number> {
    this.#chosen ??= this.#options.asked ?? (await this.#chooseCopies())
    return this.#chosen
  }

  /** Checks an existing topic. @throws LogError when it keeps fewer copies than requested */
  async check(present: PresentCopies): Promise<void> {
    const { logger, asked } = this.#options
    const { topic, copies, inSync } = present
    const wanted = asked ?? Math.min(MOST_COPIES, await this.#brokers())
    const shortage = shortageOf(present, wanted)
    if (shortage === undefined) return
    const sentence = `topic ${topic} ${shortage}; ${remedy(topic, Math.max(copies, wanted))}`
    if (asked !== undefined)
      throw new LogError(
        'LOG_UNAVAILABLE',
        `${sentence}, or set KAFKA_REPLICATION to the intended number (it is ${asked})`,
      )
    logger.warn({ topic, copies, inSync }, `ACKNOWLEDGED LINES CAN BE LOST: ${sentence}`)
  }

  async #chooseCopies(): Promise<number> {
    const brokers = await this.#settledBrokers()
    const copies = Math.min(MOST_COPIES, brokers)
    const sentence = `topics are created with ${copiesOf(copies)}, as Kafka has ${brokers} brokers now`
    if (copies === MOST_COPIES) this.#options.logger.info({ copies, brokers }, sentence)
    else
      this.#options.logger.warn(
        { copies, brokers },
        `${sentence}, and they keep that number when brokers are added: set KAFKA_REPLICATION to the number of copies`,
      )
    return copies
  }

  async #settledBrokers(): Promise<number> {
    const { clock } = this.#options
    let brokers = await this.#brokers()
    let sinceMs = clock.monotonicMs()
    while (brokers < MOST_COPIES && clock.monotonicMs() - sinceMs < SETTLED_AFTER_MS) {
      await clock.sleep(LOOK_EVERY_MS)
      const seen = await this.#brokers()
      if (seen !== brokers) sinceMs = clock.monotonicMs()
      brokers = seen
    }
    return brokers
  }

  async #brokers(): Promise<number> {
    return (await this.#options.admin.describeCluster()).brokers.length
  }
}

/**
 * Two of three copies must have a record before it counts. One broker can then be unavailable, and another one be lost.
 */
export function leastInSync(copies: number): number {
  return copies > 2 ? 2 : 1
}

function shortageOf({ copies, inSync }: PresentCopies, wanted: number): string | undefined {
  if (copies < wanted) return `has ${copiesOf(copies)} where ${wanted} are wanted`
  if (inSync < leastInSync(copies))
    return `has ${MIN_IN_SYNC}=${inSync}: a record counts as soon as one of its ${copies} brokers has it`
  return undefined
}

function remedy(topic: string, copies: number): string {
  const inSync = leastInSync(copies)
  const reassigned = `give ${topic} ${copiesOf(copies)} with kafka-reassign-partitions.sh`
  return inSync === 1
    ? reassigned
    : `${reassigned} and set its ${MIN_IN_SYNC}=${inSync} with kafka-configs.sh`
}

function copiesOf(copies: number): string {
  return copies === 1 ? '1 copy of each record' : `${copies} copies of each record`
}
