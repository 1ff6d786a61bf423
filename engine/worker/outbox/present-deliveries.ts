import { partitionOfAccount } from '../../../schemas/log/topics.ts'
import type { Clock } from '../../clock/clock.ts'
import type { BatchRulesSource } from '../../delivery/fold/batch-rules.ts'
import type { DeliveryFold } from '../../delivery/fold/delivery-fold.ts'
import type { Lane, LaneCounts } from '../../delivery/fold/lane.ts'
import type { LaneName } from '../../delivery/fold/lane-cursor.ts'
import type { SendingState } from '../../delivery/sending/sending-states.ts'
import type { Topic } from '../../log/log.ts'
import { READ_BYTES } from '../../log/records-between.ts'
import { CheckpointLog } from '../../replay/checkpoint-log.ts'
import { MemoryUnavailableError } from '../../replay/present-memory.ts'
import { LaneCheckpoints } from './lane-checkpoints.ts'
import { readFor } from './lane-reading.ts'
import type { OutboxWorkers } from './outbox-workers.ts'

/** Time limit of an answer: clients of the API give up after 15 s. */
const PATIENCE_MS = 5_000

/** Deliveries of a node from one partition. */
export interface LaneStatus extends LaneCounts {
  readonly pipeline: string
  readonly node: string
  readonly partition: number
  readonly waiting: number
  /** Log time of its oldest waiting event, UNIX ms; null: none waits. */
  readonly oldestMs: number | null
  /** Undefined where another process sends. */
  readonly sending: SendingState | undefined
}

export interface PresentDeliveriesOptions {
  readonly topic: Topic
  readonly checkpoints: Topic
  readonly rules: BatchRulesSource
  readonly clock: Clock
  /** Workers of this process, if it has some. */
  readonly outbox?: Pick<OutboxWorkers, 'workers'> | undefined
}

/** Present deliveries of nodes, for the API of any process. Counts follow from the log; only the process that sends knows more. */
export class PresentDeliveries {
  readonly #options: PresentDeliveriesOptions

  constructor(options: PresentDeliveriesOptions) {
    this.#options = options
  }

  /**
   * The lanes of a node.
   *
   * @param isSpread whether the account is, or was, on several partitions
   * @throws MemoryUnavailableError when it takes longer than a few seconds; LogError
   */
  lanesOf({ account, pipeline, node }: LaneName, isSpread: boolean): Promise<readonly LaneStatus[]> {
    return this.#found(account, isSpread, fold => {
      const lane = fold.lane(account, pipeline, node)
      return lane === undefined ? [] : [lane]
    })
  }

  /**
   * The lanes of all nodes of an account.
   *
   * @param isSpread whether the account is, or was, on several partitions
   * @throws MemoryUnavailableError when it takes longer than a few seconds; LogError
   */
  lanesOfAccount(account: string, isSpread: boolean): Promise<readonly LaneStatus[]> {
    return this.#found(account, isSpread, fold => [...fold.lanes].filter(lane => lane.account === account))
  }

  async #found(
    account: string,
    isSpread: boolean,
    lanesIn: (fold: DeliveryFold) => readonly Lane[],
  ): Promise<readonly LaneStatus[]> {
    const { topic, clock } = this.#options
    const untilMs = clock.monotonicMs() + PATIENCE_MS
    const home = partitionOfAccount(account, topic.partitions)
    const partitions = isSpread ? Array.from({ length: topic.partitions }, (_, each) => each) : [home]
    const found: LaneStatus[] = []
    for (const partition of partitions) {
      const worker = this.#options.outbox?.workers.get(partition)
      const here = worker?.caughtUp === true ? worker : undefined
      const fold = here === undefined ? await this.#folded(partition, untilMs) : here.fold
      for (const lane of lanesIn(fold)) found.push(statusOf(partition, lane, here?.stateOf(lane)))
    }
    return found
  }

  async #folded(partition: number, untilMs: number): Promise<DeliveryFold> {
    const { topic, checkpoints, rules, clock } = this.#options
    const identity = { topic: topic.name, partition, logId: topic.logId }
    const log = new CheckpointLog(checkpoints, { topic, partition })
    const { first } = await topic.bounds(partition)
    const fold = await new LaneCheckpoints(log, rules, identity).newest(first)
    for (;;) {
      if (clock.monotonicMs() >= untilMs)
        throw new MemoryUnavailableError('Reading the deliveries took too long: try it again later')
      const records = await topic.read(partition, fold.nextOffset, READ_BYTES)
      if (records.length === 0) return fold
      for (const record of records) {
        fold.apply(record)
        for (let lane = fold.behindReports; lane !== undefined; lane = fold.behindReports)
          await readFor(lane, fold, topic, partition)
      }
    }
  }
}

function statusOf(partition: number, lane: Lane, sending: SendingState | undefined): LaneStatus {
  const { pipeline, node, counts, waiting, oldestMs } = lane
  return {
    ...{ pipeline, node, ...counts, partition, waiting, sending },
    oldestMs: waiting === 0 ? null : oldestMs,
  }
}
