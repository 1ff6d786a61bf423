import { controlType } from '../../schemas/log/control.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import type { Clock } from '../clock/clock.ts'
import { encodeBehaviour } from '../fold/control-record.ts'
import type { Flush } from '../fold/flush.ts'
import { FoldError } from '../fold/fold-error.ts'
import type { PartitionFold } from '../fold/partition-fold.ts'
import type { RunWatch } from '../fold/run-watch.ts'
import type { OutgoingRecord } from '../fold/spread/fold-mail.ts'
import type { TargetTopic } from '../fold/spread/target.ts'
import type { LogRecord, Topic } from '../log/log.ts'
import { HOUR_MS, MINUTE_MS } from '../times/duration.ts'
import { inTurns, type LoopTurn, type LoopTurns } from '../turns/loop-turns.ts'
import { type PartitionOwnership, ReplacedError } from './partition-ownership.ts'
import type { Retries } from './retries.ts'

const READ_BYTES = 8 * 1024 * 1024
/** A record that is further ahead of the worker's own clock is not applied: time in the log never goes back. */
const MAX_AHEAD_MS = HOUR_MS

/** A step of a configuration change during which nothing is read: its cuts are appended, or applied and sent on. */
export type CutStep = 'append' | 'apply'

export interface RecordApplyingOptions {
  readonly partition: number
  readonly topic: Topic
  /** Topics that the fold sends to. */
  readonly targets?: Readonly<Partial<Record<TargetTopic, Topic | undefined>>> | undefined
  /** Behaviour number that owner records put into force; absent: that of the program. */
  readonly behaviour?: number | undefined
  readonly clock: Clock
  readonly turns: LoopTurns
  readonly ownership: PartitionOwnership
  readonly retries: Retries
  readonly onCutPause?: ((step: CutStep, pauseMs: number) => void) | undefined
  readonly watch?: RunWatch | undefined
}

/** Reads the log of a partition, makes its fold apply the records, and sends the fold's parts to other partitions. */
export class RecordApplying {
  readonly #options: RecordApplyingOptions
  readonly #fold: PartitionFold
  #isWatched = false
  /** Keyed partitions that are known to have records. */
  readonly #begun = new Set<number>()

  constructor(options: RecordApplyingOptions, fold: PartitionFold) {
    this.#options = options
    this.#fold = fold
  }

  /** Whether everything has been read that the log had when the worker took the partition. */
  get caughtUp(): boolean {
    return this.#fold.nextOffset > this.#options.ownership.epochOffset
  }

  /**
   * Reads the next records and applies them.
   *
   * @param complete receives each flush, once everything that the fold has sent before it is durable
   * @param signal   ends the waiting for room on the log, by the error that it answers
   * @returns false at the head of the log
   */
  async readOnce(complete: (flush: Flush) => void, signal?: AbortSignal): Promise<boolean> {
    const { topic, partition, clock, turns, onCutPause } = this.#options
    const fold = this.#fold
    const records = await topic.read(partition, fold.nextOffset, READ_BYTES)
    if (records.length === 0) return false
    const held: Flush[] = []
    const { appliedCuts } = fold
    let cutMs = 0
    const turn = turns.begin()
    for (const record of records) {
      if (turn.isOver()) await turn.rest()
      this.#check(record)
      const knownCuts = fold.appliedCuts
      const startedMs = clock.monotonicMs()
      for (const flush of await this.#apply(record, turn)) {
        if (fold.mail.empty && held.length === 0) complete(flush)
        else held.push(flush)
      }
      if (fold.appliedCuts > knownCuts) cutMs += clock.monotonicMs() - startedMs
    }
    this.#watch()
    const sendingMs = clock.monotonicMs()
    if (!fold.mail.empty) await this.#send(signal)
    if (fold.appliedCuts > appliedCuts) onCutPause?.('apply', cutMs + clock.monotonicMs() - sendingMs)
    for (const flush of held) complete(flush)
    return true
  }

  /** Other work of this process has its turns within a record, too, which may contain a million lines. */
  #apply(record: LogRecord, turn: LoopTurn): Promise<Flush[]> {
    return inTurns(this.#fold.applying(record, this.#watch()), turn)
  }

  /** The observer of the next record: none until the work of earlier workers has been repeated. */
  #watch(): RunWatch | undefined {
    const { watch } = this.#options
    if (watch === undefined || !this.caughtUp) return undefined
    if (!this.#isWatched) this.#fold.showPipelines(watch)
    this.#isWatched = true
    return watch
  }

  /** Appends everything that the fold has sent. A repeat is dropped by its receiver. */
  async #send(signal: AbortSignal | undefined): Promise<void> {
    const { targets, retries } = this.#options
    const topicOf = (name: TargetTopic): Topic => {
      const topic = targets?.[name]
      if (topic === undefined)
        throw new FoldError(`the topic "${name}", to which events go, is not open here`)
      return topic
    }
    for (const round of this.#fold.mail.take()) {
      const byPartition = Map.groupBy(round, ({ topic, partition }) => `${topic} ${partition}`)
      const appendAll = async (records: readonly OutgoingRecord[]) => {
        const [first] = records
        if (first?.topic === 'keyed') await this.#beginKeyed(topicOf('keyed'), first.partition, signal)
        for (const { topic: name, partition, value, endsLanes } of records) {
          if (endsLanes === true && targets?.[name] === undefined) continue
          const topic = topicOf(name)
          const priority = name === 'outbox' ? 'outgoing' : 'control'
          const append = () => topic.append(partition, { value, producer: null, priority })
          await retries.run(`send events to ${topic.name}`, append, signal)
        }
      }
      await Promise.all([...byPartition.values()].map(appendAll))
    }
  }

  /**
   * Puts the behaviour into force in a keyed partition without records. Its worker starts when an account is first spread, while
   * events are already sent there. Before its owner record the fold would handle them by the oldest rules that their
   * records allow.
   */
  async #beginKeyed(keyed: Topic, partition: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#begun.has(partition)) return
    const { behaviour, retries } = this.#options
    const begin = async () => {
      const { next } = await keyed.bounds(partition)
      const value = encodeBehaviour(behaviour)
      if (next === 0n) await keyed.append(partition, { value, producer: null, priority: 'control' })
    }
    await retries.run(`begin a partition of ${keyed.name}`, begin, signal)
    this.#begun.add(partition)
  }

  #check(record: LogRecord): void {
    const { partition, clock, ownership } = this.#options
    assertReadable(record, { partition, clock, epochOffset: ownership.epochOffset })
  }
}

/** The worker of a partition, as far as it decides whether a record may be applied. */
export interface ReadingWorker {
  readonly partition: number
  readonly clock: Clock
  /** Offset of its owner record. */
  readonly epochOffset: bigint
}

/**
 * @throws FoldError when the record is from the future of this machine's clock; ReplacedError when a newer worker has taken the
 *   partition
 */
export function assertReadable(record: LogRecord, { partition, clock, epochOffset }: ReadingWorker): void {
  const aheadMs = record.appendTimeMs - clock.wallMs()
  if (aheadMs > MAX_AHEAD_MS) {
    throw new FoldError(
      `record ${record.offset} of partition ${partition} was appended ${Math.round(aheadMs / MINUTE_MS)} minutes in the future of this machine's clock: set the clock right, then start again`,
    )
  }
  const owner = ownerOf(record)
  if (owner !== undefined && record.offset > epochOffset)
    throw new ReplacedError(`partition ${partition} was taken by ${owner}`)
}

function ownerOf(record: LogRecord): string | undefined {
  if (schemaIdOf(record.value) !== controlType.id) return undefined
  const { body } = controlType.decode(record.value)
  return 'weir.Owner' in body ? body['weir.Owner'].worker : undefined
}
