import { type ManualClock, manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { LogError, type Topic } from '../../engine/log/log.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { openPartitionedTopics, type PartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { ReplacedError } from '../../engine/worker/partition-ownership.ts'
import { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import type { Cut } from '../../schemas/log/control.ts'
import { partitionOfAccount } from '../../schemas/log/topics.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { type Dice, newDice } from './dice.ts'
import { lineBatchValue, pushedValue, SAMPLE_ACCOUNT } from './line-batches.ts'
import { MemoryStore } from './memory-store.ts'
import { withReplaced } from './replaced-methods.ts'
import { SampleConfiguration } from './world.ts'

export const SPREAD_PARTITIONS = 3
export const SPREAD_HOME = partitionOfAccount(SAMPLE_ACCOUNT, SPREAD_PARTITIONS)
/** All lines of an epoch lie within that, and epochs lie further apart. */
export const EPOCH_MS = 3_600_000
const EPOCHS = 3
const ACTIONS = 60
const KEYS = 12
const LEVELS = 5

/** The crash of a process in the middle of its work. */
class Crash extends Error {}

type TopicName = 'ingest' | 'keyed'

/** Members of a line except its text. */
export interface SentLine {
  readonly epoch: number
  readonly app: string
  readonly level: string
}

interface WorkedPartition {
  readonly topicName: TopicName
  readonly partition: number
  worker: PartitionWorker
}

/** Parameters of a run. */
export interface SpreadScript {
  /** Nodes of the next revision, counted from 1. */
  nodes(revision: number, dice: Dice): readonly NodeDocument[]
  /** App and level of the next line; where it is left out, each of the dozen apps is as likely. */
  drawLine?(dice: Dice): Pick<SentLine, 'app' | 'level'>
  /** Whether that revision is a pause; never where it is left out. */
  isPause?(dice: Dice): boolean
  /** Further cuts that are in effect before the first line. */
  readonly cuts?: readonly Cut[]
  beginEpoch?(epoch: number): void
  /** Whether the wall clock may be set while it runs, also back. */
  readonly setsClock?: boolean
  /** Whether lines come as messages of a gateway route, hence all of them at home. */
  readonly pushes?: boolean
  /** Whether each line is handled everywhere before the next one is sent, a millisecond later. */
  readonly isOneByOne?: boolean
  /** Whether nothing is ever trimmed. */
  readonly keepsLog?: boolean
  afterAction?(run: SpreadRun): Promise<void>
}

/** Lines, changes between one partition and all, new revisions and kills in a random order. */
export class SpreadRun {
  readonly #dice: Dice
  readonly #clock: ManualClock
  readonly store = new MemoryStore()
  readonly #configuration = new SampleConfiguration()
  readonly #partitions: WorkedPartition[] = []
  /** Sent lines by text. */
  readonly sent = new Map<string, SentLine>()
  readonly topics: PartitionedTopics
  /** Values of all records of the lines' topic, by partition and offset: the log itself is trimmed. */
  readonly archive: readonly Buffer[][]
  readonly #script: SpreadScript
  #epoch = 0
  #change = 0
  #isSpread = false
  #revision = 0
  lines = 0

  private constructor(dice: Dice, clock: ManualClock, topics: PartitionedTopics, script: SpreadScript) {
    this.#dice = dice
    this.#clock = clock
    this.topics = topics
    this.#script = script
    this.archive = archiveOf(topics.ingest)
    const { ingest, checkpoints, keyed } = topics
    if (script.keepsLog)
      for (const topic of [ingest, checkpoints, keyed.topic, keyed.checkpoints]) topic.trim = async () => {}
  }

  static async of(seed: number, script: SpreadScript): Promise<SpreadRun> {
    const clock = manualClock()
    const log = memoryLog({ clock, entropy: seededEntropy(7) })
    const topics = await openPartitionedTopics(log, SPREAD_PARTITIONS)
    return new SpreadRun(newDice(seed), clock, topics, script)
  }

  /** Gives the configuration a cut, which workers bring to their partitions. */
  configure(cut: Cut): void {
    this.#configuration.set(cut)
  }

  async run(): Promise<void> {
    this.#configuration.everywhere = true
    this.#publish()
    for (const cut of this.#script.cuts ?? []) this.#configuration.set(cut)
    for (const topicName of ['ingest', 'keyed'] as const)
      for (let partition = 0; partition < SPREAD_PARTITIONS; partition++)
        this.#partitions.push({ topicName, partition, worker: await this.#newWorker(topicName, partition) })
    await this.#drain()
    for (let epoch = 0; epoch < EPOCHS; epoch++) {
      this.#epoch = epoch
      this.#script.beginEpoch?.(epoch)
      for (let action = 0; action < ACTIONS; action++) {
        await this.#act()
        await this.#script.afterAction?.(this)
      }
      await this.#drain()
      this.#clock.advance(EPOCH_MS)
      await this.#drain()
    }
    for (const { worker } of this.#partitions) worker.close()
  }

  async #act(): Promise<void> {
    const dice = this.#dice
    const roll = dice.below(100)
    if (roll < 45) await this.#appendLines()
    else if (roll < 52) this.#setSpread(!this.#isSpread)
    else if (roll < 57) this.#publish()
    else if (roll < 67) await this.#restart(dice.pick(this.#partitions))
    else if (roll < 70) await this.#zombie(dice.pick(this.#partitions))
    else if (roll < 80) this.#clock.advance(dice.below(3_000))
    else if (roll < 84 && this.#script.setsClock)
      this.#clock.setWall(this.#clock.wallMs() + dice.below(20_000) - 10_000)
    for (let steps = dice.below(12); steps > 0; steps--) await this.#step(dice.pick(this.#partitions))
  }

  async #appendLines(): Promise<void> {
    const dice = this.#dice
    const { pushes, isOneByOne } = this.#script
    if (isOneByOne) await this.#settle()
    const lines = Array.from({ length: isOneByOne ? 1 : 1 + dice.below(5) }, () => {
      const { app, level } = this.#script.drawLine?.(dice) ?? drawLine(dice)
      const line = `line ${this.lines++}`
      this.sent.set(line, { epoch: this.#epoch, app, level })
      return { line, app, level }
    })
    // A process that has not heard of the newest change may still use the old way for a while, once the first was made.
    const mayBeAnywhere = this.#isEverywhere() || (this.#change > 1 && dice.chance(0.1))
    const partition = mayBeAnywhere && !pushes ? dice.below(SPREAD_PARTITIONS) : SPREAD_HOME
    const value = pushes ? pushedValue([{ messages: lines }]) : lineBatchValue([{ lines }])
    await this.#topic('ingest').append(partition, { value, producer: null, priority: 'ingest' })
    if (!isOneByOne) return
    await this.#settle()
    this.#clock.advance(1)
  }

  /** Whether every partition has said that it did its part of the change. */
  #isEverywhere(): boolean {
    const change = this.#change
    const isReported = ({ topicName, worker }: WorkedPartition) =>
      topicName === 'keyed' || (worker.spreads.get(SAMPLE_ACCOUNT) ?? 0) >= change
    return this.#isSpread && this.#partitions.every(isReported)
  }

  #setSpread(isSpread: boolean): void {
    // The first change must have been made everywhere before a line may be anywhere.
    if (this.#change === 1 && !this.#isEverywhere()) return
    this.#isSpread = isSpread
    const payload = JSON.stringify({ isSpread })
    this.#configuration.set({ kind: 'spread', entity: SAMPLE_ACCOUNT, version: ++this.#change, payload })
  }

  #publish(): void {
    const revision = ++this.#revision
    const nodes = this.#script.nodes(revision, this.#dice)
    const isPause = this.#script.isPause?.(this.#dice) ?? false
    this.#configuration.deploy(nodes, revision, 'pipeline-1', isPause)
  }

  async #restart(partition: WorkedPartition): Promise<void> {
    partition.worker.close()
    partition.worker = await this.#newWorker(partition.topicName, partition.partition)
  }

  /** A worker that continues for a moment although another has taken its partition. */
  async #zombie(partition: WorkedPartition): Promise<void> {
    const old = partition.worker
    await this.#restart(partition)
    for (let steps = this.#dice.below(4); steps > 0; steps--) {
      try {
        await this.#clock.advanceUntil(old.step())
      } catch (error) {
        if (error instanceof ReplacedError || error instanceof Crash) return
        throw error
      }
    }
  }

  async #drain(): Promise<void> {
    for (let minute = 0; minute < 4; minute++) {
      await this.#settle()
      this.#clock.advance(61_000)
    }
  }

  /** Drives every partition until none has anything left to do at this instant. */
  async #settle(): Promise<void> {
    for (let isBusy = true; isBusy; ) {
      isBusy = false
      for (const partition of this.#partitions) while (await this.#step(partition)) isBusy = true
    }
  }

  async #step(partition: WorkedPartition): Promise<boolean> {
    try {
      return await this.#clock.advanceUntil(partition.worker.step())
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      await this.#restart(partition)
      return true
    }
  }

  async #newWorker(topicName: TopicName, partition: number): Promise<PartitionWorker> {
    const { ingest, checkpoints, keyed } = this.topics
    const worker = new PartitionWorker({
      catalogue: CATALOGUE,
      partition,
      topic: topicName === 'ingest' ? ingest : keyed.topic,
      checkpoints: topicName === 'ingest' ? checkpoints : keyed.checkpoints,
      targets: { ingest: this.#unreliable(ingest), keyed: this.#unreliable(keyed.topic) },
      store: this.store,
      clock: this.#clock,
      configuration: this.#configuration,
      logger: silentLogger,
      workerName: 'worker',
      // Checkpoints whenever one may be taken.
      spaceIsShort: () => this.#dice.chance(0.3),
    })
    await this.#clock.advanceUntil(worker.start())
    return worker
  }

  #topic(topicName: TopicName): Topic {
    const { ingest, keyed } = this.topics
    return topicName === 'ingest' ? ingest : keyed.topic
  }

  /** Appends are durable without an answer, or their process ends before or after them. */
  #unreliable(topic: Topic): Topic {
    const dice = this.#dice
    return withReplaced(topic, {
      append: async (partition, record) => {
        const roll = dice.below(100)
        if (roll < 3) throw new Crash()
        const appended = await topic.append(partition, record)
        if (roll < 6) throw new Crash()
        if (roll < 12) throw new LogError('LOG_UNAVAILABLE', 'no answer', { retriable: true })
        return appended
      },
    })
  }
}

function drawLine(dice: Dice): Pick<SentLine, 'app' | 'level'> {
  return { app: `key-${dice.below(KEYS)}`, level: `level-${dice.below(LEVELS)}` }
}

/** Everything that is appended to a topic from now on. */
function archiveOf(topic: Topic): Buffer[][] {
  const archive = Array.from({ length: topic.partitions }, (): Buffer[] => [])
  const append = topic.append.bind(topic)
  topic.append = (partition, record) => {
    archive[partition]?.push(record.value)
    return append(partition, record)
  }
  return archive
}
