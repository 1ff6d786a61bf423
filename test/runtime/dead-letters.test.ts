import { expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { lettersIn } from '../../engine/fold/dead-letters/dead-letter.ts'
import { LogError, type Topic } from '../../engine/log/log.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { openPartitionedTopics, type PartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { DeadLetterQueue, type FoundLetter } from '../../engine/replay/dead-letters/dead-letter-queue.ts'
import { ReplacedError } from '../../engine/worker/partition-ownership.ts'
import { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import { deadLettersType } from '../../schemas/log/dead-letters.ts'
import { partitionOfAccount } from '../../schemas/log/topics.ts'
import { type Dice, newDice } from '../support/dice.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { withReplaced } from '../support/replaced-methods.ts'
import { node, SampleConfiguration, SOURCE } from '../support/world.ts'

const SEEDS = Number(process.env.SEEDS ?? 40)
const FIRST_SEED = Number(process.env.SEED ?? 1)
const PARTITIONS = 2
const HOME = partitionOfAccount(SAMPLE_ACCOUNT, PARTITIONS)
const ACTIONS = 80
const PIPELINE = 'pipeline-1'

const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index)

test.each(seeds)(
  'a failed event is one dead letter and is replayed once, despite kills and repeats (SEED=%i)',
  async seed => {
    const run = await LetterRun.of(seed)
    await run.run()
    await run.expectEachLineOnce()

    await run.mendAndReplayAll()
    expect(run.storedLines().toSorted()).toEqual(run.lines.toSorted())
    expect(await run.openLetters()).toEqual([])
    await run.expectConservation()

    await run.appendReplaysAgain()
    expect(run.storedLines().length).toBe(run.lines.length)
    run.close()
  },
)

/** The crash of a process in the middle of its work. */
class Crash extends Error {}

type TopicName = 'ingest' | 'keyed'

interface WorkedPartition {
  readonly topicName: TopicName
  readonly partition: number
  worker: PartitionWorker
}

/** Lines that fail in some revisions, replays, spreading and kills in a random order. */
class LetterRun {
  readonly #dice: Dice
  readonly #clock: ManualClock
  readonly #topics: PartitionedTopics
  readonly #store = new MemoryStore()
  readonly #configuration = new SampleConfiguration()
  readonly #partitions: WorkedPartition[] = []
  readonly #queue: DeadLetterQueue
  readonly #replays: Buffer[] = []
  #revision = 0
  #change = 0
  /** Text of every line that was sent. */
  readonly lines: string[] = []

  private constructor(dice: Dice, clock: ManualClock, topics: PartitionedTopics) {
    this.#dice = dice
    this.#clock = clock
    this.#topics = topics
    const { deadLetters: topic } = topics
    this.#queue = new DeadLetterQueue({ topic, ingest: this.#doubling(topics.ingest) }, clock)
  }

  static async of(seed: number): Promise<LetterRun> {
    const clock = manualClock()
    const log = memoryLog({ clock, entropy: seededEntropy(7) })
    return new LetterRun(newDice(seed), clock, await openPartitionedTopics(log, PARTITIONS))
  }

  async run(): Promise<void> {
    this.#configuration.everywhere = true
    this.#publish('broken')
    const payload = JSON.stringify({ accountId: SAMPLE_ACCOUNT, isEnabled: true })
    this.#configuration.set({ kind: 'dead-letter', entity: PIPELINE, version: 1, payload })
    for (const topicName of ['ingest', 'keyed'] as const)
      for (let partition = 0; partition < PARTITIONS; partition++)
        this.#partitions.push({ topicName, partition, worker: await this.#newWorker(topicName, partition) })
    await this.#drain()
    for (let record = 0; record < 5; record++) await this.#appendLines()
    for (let action = 0; action < ACTIONS; action++) await this.#act()
    await this.#drain()
  }

  close(): void {
    for (const { worker } of this.#partitions) worker.close()
  }

  storedLines(): string[] {
    return this.#store.rows('lines').map(({ line }) => line as string)
  }

  /** Each line is stored or a letter that waits; a letter that was replayed was one of it before. */
  async expectEachLineOnce(): Promise<void> {
    const found = await this.#found()
    const texts = await this.#textsByPosition()
    expect(found.map(positionOf).toSorted()).toEqual([...texts.keys()].toSorted())
    const places = new Map(this.lines.map(line => [line, 0]))
    const add = (line: string, count: number) => places.set(line, (places.get(line) ?? 0) + count)
    for (const line of this.storedLines()) add(line, 1)
    for (const letter of found)
      if (letter.replayed === undefined) add(texts.get(positionOf(letter)) as string, 1)
    expect([...places].filter(([, count]) => count !== 1)).toEqual([])
  }

  /** Every counted failure has a dead letter. Every event that entered a node left it, failed or was dropped. */
  async expectConservation(): Promise<void> {
    const sum = (column: string) =>
      this.#store
        .rows('node_metrics')
        .filter(row => row.node === 'store')
        .reduce((total, row) => total + Number(row[column]), 0)
    expect(sum('failed')).toBe((await this.#found()).length)
    expect(sum('events_in')).toBe(sum('events_out') + sum('failed') + sum('dropped'))
    expect(sum('events_out')).toBe(this.lines.length)
  }

  async mendAndReplayAll(): Promise<void> {
    this.#publish('mended')
    await this.#drain()
    const open = await this.openLetters()
    await this.#clock.advanceUntil(this.#queue.replay(SAMPLE_ACCOUNT, open))
    await this.#drain()
  }

  openLetters(): Promise<FoundLetter[]> {
    return this.#found(({ replayed }) => replayed === undefined)
  }

  /** Appends every earlier replay again. */
  async appendReplaysAgain(): Promise<void> {
    expect(this.#replays.length).toBeGreaterThan(0)
    for (const value of this.#replays)
      await this.#topics.ingest.append(HOME, { value, producer: null, priority: 'ingest' })
    await this.#drain()
  }

  #found(condition: (letter: FoundLetter) => boolean = () => true): Promise<FoundLetter[]> {
    return Array.fromAsync(this.#queue.find(SAMPLE_ACCOUNT, condition))
  }

  /** The line of every letter in the topic, however often it is there, found by brute force. */
  async #textsByPosition(): Promise<Map<string, string>> {
    const records = await this.#topics.deadLetters.read(HOME, 0n, Number.MAX_SAFE_INTEGER)
    const letters = records.flatMap(({ value }) =>
      deadLettersType
        .decode(value)
        .parts.flatMap(part => ('weir.FailedEvents' in part ? lettersIn(part['weir.FailedEvents']) : [])),
    )
    return new Map(letters.map(letter => [positionOf(letter), letter.event.member('line') as string]))
  }

  async #act(): Promise<void> {
    const dice = this.#dice
    const roll = dice.below(100)
    if (roll < 40) await this.#appendLines()
    else if (roll < 52) await this.#replaySome()
    else if (roll < 58) this.#publish(dice.pick(['broken', 'mended']))
    else if (roll < 63) this.#changeSpread()
    else if (roll < 73) await this.#restart(dice.pick(this.#partitions))
    else if (roll < 77) await this.#zombie(dice.pick(this.#partitions))
    else if (roll < 85) this.#clock.advance(dice.below(3_000))
    for (let steps = dice.below(12); steps > 0; steps--) await this.#step(dice.pick(this.#partitions))
  }

  async #appendLines(): Promise<void> {
    const dice = this.#dice
    const lines = Array.from({ length: 1 + dice.below(5) }, () => {
      const line = `line ${this.lines.length}`
      this.lines.push(line)
      return { line, level: `level-${dice.below(6)}`, ...(dice.chance(0.5) && { app: 'web' }) }
    })
    const partition = this.#isEverywhere() ? dice.below(PARTITIONS) : HOME
    const value = lineBatchValue([{ lines }])
    await this.#topics.ingest.append(partition, { value, producer: null, priority: 'ingest' })
  }

  /** Replays some letters, also ones that were replayed before. */
  async #replaySome(): Promise<void> {
    const letters = await this.#found(() => this.#dice.chance(0.3))
    await this.#clock.advanceUntil(this.#queue.replay(SAMPLE_ACCOUNT, letters))
  }

  #isEverywhere(): boolean {
    const isReported = ({ topicName, worker }: WorkedPartition) =>
      topicName === 'keyed' || (worker.spreads.get(SAMPLE_ACCOUNT) ?? 0) >= this.#change
    return this.#change % 2 === 1 && this.#partitions.every(isReported)
  }

  #changeSpread(): void {
    // The first change must have been made everywhere before a line may be anywhere.
    if (this.#change === 1 && !this.#isEverywhere()) return
    const payload = JSON.stringify({ isSpread: ++this.#change % 2 === 1 })
    this.#configuration.set({ kind: 'spread', entity: SAMPLE_ACCOUNT, version: this.#change, payload })
  }

  /** Publishes a revision. In a broken one, lines without an app fail. */
  #publish(revision: 'broken' | 'mended'): void {
    const limit = { threshold: 1_000_000, window_ms: 1_000, key_field: '.level' }
    const options = revision === 'broken' ? { query: { hostname: '{{ .app }}' } } : {}
    this.#configuration.deploy(
      [
        SOURCE,
        node('transform', 'limit', 'throttle', ['source'], limit),
        node('sink', 'store', 'mezmo', ['limit'], options),
      ],
      ++this.#revision,
      PIPELINE,
    )
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
      for (let isBusy = true; isBusy; ) {
        isBusy = false
        for (const partition of this.#partitions) while (await this.#step(partition)) isBusy = true
      }
      this.#clock.advance(61_000)
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
    const { ingest, checkpoints, keyed, deadLetters } = this.#topics
    const worker = new PartitionWorker({
      catalogue: CATALOGUE,
      partition,
      topic: topicName === 'ingest' ? ingest : keyed.topic,
      checkpoints: topicName === 'ingest' ? checkpoints : keyed.checkpoints,
      targets: {
        ingest: this.#unreliable(ingest),
        keyed: this.#unreliable(keyed.topic),
        deadLetters: this.#unreliable(deadLetters),
      },
      store: this.#store,
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

  /** Appends come twice now and then. */
  #doubling(topic: Topic): Topic {
    return withReplaced(topic, {
      append: async (partition, record) => {
        this.#replays.push(record.value)
        if (this.#dice.chance(0.3)) await topic.append(partition, record)
        return topic.append(partition, record)
      },
    })
  }
}

function positionOf(letter: Pick<FoundLetter, 'topic' | 'partition' | 'offset' | 'row'>): string {
  return `${letter.topic} ${letter.partition} ${letter.offset} ${letter.row}`
}
