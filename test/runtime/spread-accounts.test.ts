import { expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { noCounts } from '../../engine/graph/node-counters.ts'
import { LogError, type NewRecord, type Topic } from '../../engine/log/log.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { openPartitionedTopics, type PartitionedTopics, partitionOfAccount } from '../../engine/log/topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import type { NodeActivity } from '../../engine/runtime/node-activity.ts'
import { ReplacedError } from '../../engine/runtime/partition-ownership.ts'
import { PartitionWorker } from '../../engine/runtime/partition-worker.ts'
import { controlType } from '../../schemas/control.ts'
import { LineBatchView, lineBatchType } from '../../schemas/line-batch.ts'
import { rekeyedType } from '../../schemas/rekeyed.ts'
import { schemaIdOf } from '../../schemas/wire-format.ts'
import { type Dice, newDice } from '../support/dice.ts'
import { lineBatchValue, SAMPLE_ACCOUNT, type SampleLine } from '../support/line-batches.ts'
import { type MemoryRow, MemoryStore } from '../support/memory-store.ts'
import { node, SampleConfiguration, SOURCE } from '../support/world.ts'

const SEEDS = Number(process.env.SEEDS ?? 40)
const FIRST_SEED = Number(process.env.SEED ?? 1)
const PARTITIONS = 3
const HOME = partitionOfAccount(SAMPLE_ACCOUNT, PARTITIONS)
const EPOCHS = 3
const ACTIONS = 60
const KEYS = 12
const LEVELS = 5
/** What a revision limits by: never more than one change of it within a window. */
const RULES = {
  app: { threshold: 5, key_field: '.app' },
  level: { threshold: 7, key_field: '.level' },
} as const
type Rule = keyof typeof RULES
const WINDOW_MS = 3_600_000

const COLUMN_OF = {
  eventsIn: 'events_in',
  bytesIn: 'bytes_in',
  eventsOut: 'events_out',
  bytesOut: 'bytes_out',
  copied: 'copied',
  created: 'created',
  dropped: 'dropped',
  droppedBytes: 'dropped_bytes',
  failed: 'failed',
  merged: 'merged',
  held: 'held',
} as const

const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index)

test.each(seeds)(
  'a throttle is exact while its account is spread and gathered again (SEED=%i)',
  async seed => {
    const run = await SpreadRun.of(seed)
    await run.run()
    // All lines of an epoch lie within one window, and epochs lie further apart than that.
    expect(run.storedByKey()).toEqual(run.expectedByKey())
    expect(new Set(run.storedLines()).size).toBe(run.storedLines().length)
    for (const [id, activity] of run.activity()) {
      const { eventsIn, copied, created, eventsOut, dropped, failed, merged, held } = activity
      expect(eventsOut + dropped + failed + merged + held, id).toBe(eventsIn + copied + created)
    }
    expect(run.activity().get('limit')?.eventsIn).toBe(run.lines)
    // Windows that end by themselves hold each line once, each with lines of its key alone.
    expect(run.gatheredLines().toSorted()).toEqual(run.sentLines().toSorted())
    expect(run.mixedGroups()).toEqual([])
    expect(run.activity().get('gather')?.held).toBe(0)
    expect(run.activity().get('all')?.eventsOut).toBe(run.storedLines().length)
  },
)

test('nothing is acknowledged before what it sends to other partitions is durable', async () => {
  const clock = manualClock()
  const log = memoryLog({ clock, entropy: seededEntropy(7) })
  const { ingest, checkpoints, keyed } = await openPartitionedTopics(log, PARTITIONS)
  const store = new MemoryStore()
  const configuration = new SampleConfiguration()
  configuration.deploy([
    SOURCE,
    node('transform', 'limit', 'throttle', ['source'], { threshold: 1, window_ms: 1_000 }),
    node('sink', 'limited', 'mezmo', ['limit']),
    node('sink', 'all', 'mezmo', ['source']),
  ])
  const answer = Promise.withResolvers<void>()
  let sent = 0
  const held: Topic = Object.assign(bound(keyed.topic), {
    append: async (partition: number, record: NewRecord) => {
      if (sent++ > 3 * PARTITIONS) await answer.promise
      return keyed.topic.append(partition, record)
    },
  })
  const worker = new PartitionWorker({
    partition: HOME,
    topic: ingest,
    checkpoints,
    outbox: { ingest, keyed: held },
    store,
    clock,
    configuration,
    logger: silentLogger,
    workerName: 'worker',
  })
  await worker.start()
  while (await worker.step());
  const payload = JSON.stringify({ isSpread: true })
  configuration.set({ kind: 'spread', entity: SAMPLE_ACCOUNT, version: 1, payload })
  while (await worker.step());
  sent = 3 * PARTITIONS + 1
  const append = (lines: readonly SampleLine[]) =>
    ingest.append(HOME, { value: lineBatchValue([{ lines }]), producer: null, priority: 'ingest' })
  await append([{ line: 'first' }])
  clock.advance(5_000)
  await append([{ line: 'second' }]) // Ends the batch of the first.
  const stop = new AbortController()
  const running = worker.run(stop.signal)
  for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve))
  expect(sent).toBeGreaterThan(3 * PARTITIONS + 1)
  expect(store.rows('lines')).toEqual([])
  answer.resolve()
  while (store.rows('lines').length === 0) await new Promise(resolve => setImmediate(resolve))
  stop.abort()
  await running
  worker.close()
})

/** The crash of a process, in the middle of what it does. */
class Crash extends Error {}

type Lane = 'ingest' | 'keyed'

interface SentLine {
  readonly epoch: number
  readonly app: string
  readonly level: string
}

interface Seat {
  readonly lane: Lane
  readonly partition: number
  worker: PartitionWorker
}

/** Lines, changes between one partition and all, new revisions and kills in a random order. */
class SpreadRun {
  readonly #dice: Dice
  readonly #clock: ManualClock
  readonly #store = new MemoryStore()
  readonly #configuration = new SampleConfiguration()
  readonly #seats: Seat[] = []
  /** By text. */
  readonly #lines = new Map<string, SentLine>()
  readonly #ruleOf = new Map<number, Rule>()
  #epoch = 0
  #rule: Rule = 'app'
  #mayChangeRule = true
  readonly #topics: PartitionedTopics
  /** Values of all records of the lines' topic, by partition: the log itself is trimmed. */
  readonly #archive: readonly Buffer[][]
  #change = 0
  #isSpread = false
  #revision = 0
  lines = 0

  private constructor(dice: Dice, clock: ManualClock, topics: PartitionedTopics) {
    this.#dice = dice
    this.#clock = clock
    this.#topics = topics
    this.#archive = archiveOf(topics.ingest)
  }

  static async of(seed: number): Promise<SpreadRun> {
    const clock = manualClock()
    const log = memoryLog({ clock, entropy: seededEntropy(7) })
    return new SpreadRun(newDice(seed), clock, await openPartitionedTopics(log, PARTITIONS))
  }

  async run(): Promise<void> {
    this.#configuration.everywhere = true
    this.#publish()
    for (const lane of ['ingest', 'keyed'] as const)
      for (let partition = 0; partition < PARTITIONS; partition++)
        this.#seats.push({ lane, partition, worker: await this.#newWorker(lane, partition) })
    await this.#drain()
    for (let epoch = 0; epoch < EPOCHS; epoch++) {
      this.#epoch = epoch
      this.#mayChangeRule = true
      for (let action = 0; action < ACTIONS; action++) await this.#act()
      await this.#drain()
      this.#clock.advance(WINDOW_MS)
      await this.#drain()
    }
    for (const { worker } of this.#seats) worker.close()
  }

  storedLines(): string[] {
    return this.#rows('limited').map(({ line }) => line as string)
  }

  gatheredLines(): string[] {
    return this.#gathered().flat()
  }

  /** What was gathered together although its keys differ. */
  mixedGroups(): string[][] {
    return this.#gathered().filter(lines => {
      const keys = new Set(lines.map(text => (this.#lines.get(text) as SentLine).app))
      return keys.size > 1
    })
  }

  sentLines(): string[] {
    return [...this.#lines.keys()]
  }

  #gathered(): string[][] {
    return this.#rows('gathered').map(({ line }) => (line as string).split('\n'))
  }

  /** Of one of the destinations, which are told apart by a tag. */
  #rows(destination: 'limited' | 'gathered'): MemoryRow[] {
    const isGathered = ({ tags }: MemoryRow) => (tags as string[]).includes('gathered')
    return this.#store.rows('lines').filter(row => isGathered(row) === (destination === 'gathered'))
  }

  /** By epoch, rule and key; the revision that handled a line has left the name of its rule as a tag. */
  storedByKey(): Record<string, number> {
    const rows = this.#rows('limited')
    const keyOf = ({ line, tags }: MemoryRow) => this.#keyOf(line as string, (tags as Rule[])[0] as Rule)
    return sorted(Map.groupBy(rows, keyOf).entries(), each => each.length)
  }

  /** By a second reading of the logs: which revision handled each line, and how many of each key its rule lets pass. */
  expectedByKey(): Record<string, number> {
    const counts = new Map<string, { count: number; most: number }>()
    for (let partition = 0; partition < PARTITIONS; partition++) {
      let version = 0
      for (const value of this.#archive[partition] ?? []) {
        version = Math.max(version, ...versionsIn(value))
        if (schemaIdOf(value) !== lineBatchType.id) continue
        const rule = this.#ruleOf.get(version) as Rule
        const batch = LineBatchView.decode(value)
        for (let index = 0; index < batch.count; index++) {
          const key = this.#keyOf(batch.lineText(index), rule)
          counts.set(key, { count: (counts.get(key)?.count ?? 0) + 1, most: RULES[rule].threshold })
        }
      }
    }
    return sorted(counts.entries(), ({ count, most }) => Math.min(most, count))
  }

  #keyOf(text: string, rule: Rule): string {
    const line = this.#lines.get(text) as SentLine
    return `${line.epoch} ${rule} ${line[rule]}`
  }

  /** What every node has done, by the rows of its metrics. */
  activity(): Map<string, NodeActivity> {
    const sums = new Map<string, NodeActivity>()
    for (const row of this.#store.rows('node_metrics')) {
      const sum = sums.get(row.node as string) ?? noCounts()
      for (const name of Object.keys(sum) as (keyof NodeActivity)[])
        sum[name] += Number(row[COLUMN_OF[name]] ?? 0)
      sums.set(row.node as string, sum)
    }
    return sums
  }

  async #act(): Promise<void> {
    const dice = this.#dice
    const roll = dice.below(100)
    if (roll < 45) await this.#appendLines()
    else if (roll < 52) this.#setSpread(!this.#isSpread)
    else if (roll < 57) this.#publish()
    else if (roll < 67) await this.#restart(dice.pick(this.#seats))
    else if (roll < 70) await this.#zombie(dice.pick(this.#seats))
    else if (roll < 80) this.#clock.advance(dice.below(3_000))
    for (let steps = dice.below(12); steps > 0; steps--) await this.#step(dice.pick(this.#seats))
  }

  async #appendLines(): Promise<void> {
    const dice = this.#dice
    const lines = Array.from({ length: 1 + dice.below(5) }, () => {
      const [app, level] = [`key-${dice.below(KEYS)}`, `level-${dice.below(LEVELS)}`]
      const line = `line ${this.lines++}`
      this.#lines.set(line, { epoch: this.#epoch, app, level })
      return { line, app, level }
    })
    // A process that has not heard of the newest change may still use the old way for a while, once the first was made.
    const mayBeAnywhere = this.#isEverywhere() || (this.#change > 1 && dice.chance(0.1))
    const partition = mayBeAnywhere ? dice.below(PARTITIONS) : HOME
    const value = lineBatchValue([{ lines }])
    await this.#topic('ingest').append(partition, { value, producer: null, priority: 'ingest' })
  }

  /** Whether every partition has said that it did its part of the change. */
  #isEverywhere(): boolean {
    const change = this.#change
    const isReported = ({ lane, worker }: Seat) =>
      lane === 'keyed' || (worker.spreads.get(SAMPLE_ACCOUNT) ?? 0) >= change
    return this.#isSpread && this.#seats.every(isReported)
  }

  #setSpread(isSpread: boolean): void {
    // The first change must have been made everywhere before a line may be anywhere.
    if (this.#change === 1 && !this.#isEverywhere()) return
    this.#isSpread = isSpread
    const payload = JSON.stringify({ isSpread })
    this.#configuration.set({ kind: 'spread', entity: SAMPLE_ACCOUNT, version: ++this.#change, payload })
  }

  #publish(): void {
    if (this.#revision > 0 && this.#mayChangeRule && this.#dice.chance(0.4)) {
      this.#mayChangeRule = false
      this.#rule = this.#rule === 'app' ? 'level' : 'app'
    }
    const limit = { ...RULES[this.#rule], window_ms: WINDOW_MS }
    this.#ruleOf.set(this.#revision + 1, this.#rule)
    this.#configuration.deploy(
      [
        SOURCE,
        node('transform', 'limit', 'throttle', ['source'], limit),
        node('transform', 'all', 'throttle', ['limit'], { threshold: 1_000_000, window_ms: 1_000 }),
        node('sink', 'store', 'mezmo', ['all'], { query: { tags: [this.#rule] } }),
        node('transform', 'gather', 'reduce', ['source'], {
          duration_ms: 2_000,
          group_by: ['.app'],
          merge_strategies: [{ field: '.line', strategy: 'concat_newline' }],
          ...(this.#dice.chance(0.5) && { max_events: 4 }),
        }),
        node('sink', 'gathered', 'mezmo', ['gather'], { query: { tags: ['gathered'] } }),
      ],
      ++this.#revision,
    )
  }

  async #restart(seat: Seat): Promise<void> {
    seat.worker.close()
    seat.worker = await this.#newWorker(seat.lane, seat.partition)
  }

  /** A worker that goes on for a moment although another has taken its partition. */
  async #zombie(seat: Seat): Promise<void> {
    const old = seat.worker
    await this.#restart(seat)
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
        for (const seat of this.#seats) while (await this.#step(seat)) isBusy = true
      }
      this.#clock.advance(61_000)
    }
  }

  async #step(seat: Seat): Promise<boolean> {
    try {
      return await this.#clock.advanceUntil(seat.worker.step())
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      await this.#restart(seat)
      return true
    }
  }

  async #newWorker(lane: Lane, partition: number): Promise<PartitionWorker> {
    const { ingest, checkpoints, keyed } = this.#topics
    const worker = new PartitionWorker({
      partition,
      topic: lane === 'ingest' ? ingest : keyed.topic,
      checkpoints: lane === 'ingest' ? checkpoints : keyed.checkpoints,
      outbox: { ingest: this.#unreliable(ingest), keyed: this.#unreliable(keyed.topic) },
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

  #topic(lane: Lane): Topic {
    const { ingest, keyed } = this.#topics
    return lane === 'ingest' ? ingest : keyed.topic
  }

  /** Appends are durable without an answer, or their process ends before or after them. */
  #unreliable(topic: Topic): Topic {
    const dice = this.#dice
    return {
      ...bound(topic),
      append: async (partition, record) => {
        const roll = dice.below(100)
        if (roll < 3) throw new Crash()
        const appended = await topic.append(partition, record)
        if (roll < 6) throw new Crash()
        if (roll < 12) throw new LogError('LOG_UNAVAILABLE', 'no answer', { retriable: true })
        return appended
      },
    }
  }
}

function bound(topic: Topic): Topic {
  return Object.setPrototypeOf({}, topic) as Topic
}

function sorted<Value>(
  entries: Iterable<[string, Value]>,
  numberOf: (value: Value) => number,
): Record<string, number> {
  return Object.fromEntries([...entries].map(([key, value]) => [key, numberOf(value)] as const).sort())
}

/** Versions of the pipeline that take effect with a record. */
function versionsIn(value: Buffer): number[] {
  const id = schemaIdOf(value)
  if (id === rekeyedType.id) {
    const { parts } = rekeyedType.decode(value)
    return parts.flatMap(part => ('weir.ForwardedCut' in part ? [part['weir.ForwardedCut'].version] : []))
  }
  if (id !== controlType.id) return []
  const { body } = controlType.decode(value)
  return 'weir.Cut' in body && body['weir.Cut'].kind === 'pipeline' ? [body['weir.Cut'].version] : []
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
