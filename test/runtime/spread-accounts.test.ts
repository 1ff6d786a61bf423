import { expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { Event } from '../../engine/event/event.ts'
import type { NodeActivity } from '../../engine/fold/node-activity.ts'
import { noCounts } from '../../engine/graph/node-counters.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { openPartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import { controlType } from '../../schemas/log/control.ts'
import { lineBatchType } from '../../schemas/log/line-batch.ts'
import { rekeyedType } from '../../schemas/log/rekeyed.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import type { Dice } from '../support/dice.ts'
import { lineBatchValue, SAMPLE_ACCOUNT, SAMPLE_ROUTE, type SampleLine } from '../support/line-batches.ts'
import { IS_LONG } from '../support/long-form.ts'
import { type MemoryRow, MemoryStore } from '../support/memory-store.ts'
import { withReplaced } from '../support/replaced-methods.ts'
import {
  EPOCH_MS,
  type SentLine,
  SPREAD_HOME,
  SPREAD_PARTITIONS,
  SpreadRun,
  type SpreadScript,
} from '../support/spread-run.ts'
import { node, SampleConfiguration, SOURCE } from '../support/world.ts'

const SEEDS = Number(process.env.SEEDS ?? (IS_LONG ? 40 : 9))
const FIRST_SEED = Number(process.env.SEED ?? 1)
/** Limits of the revisions: at most one change of them within a window. */
const RULES = {
  app: { threshold: 5, key_field: '.app' },
  level: { threshold: 7, key_field: '.level' },
} as const
type Rule = keyof typeof RULES

const PUSHED_SOURCE = { ...node('source', 'source', 'http'), gateway_route_id: SAMPLE_ROUTE }
/** An event with a message is stored as the line of that message. */
const AS_SENT = { message: { scheme: 'Message pass-through' } }

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

const ways = seeds.flatMap((seed, index) =>
  index % 4 === 0
    ? ([
        [seed, 'lines'],
        [seed, 'pushed events'],
      ] as const)
    : ([[seed, 'lines']] as const),
)

test.each(ways)(
  'a throttle is exact while its account is spread and gathered again (SEED=%i, %s)',
  async (seed, way) => {
    const rules = new Rules(way === 'pushed events')
    const run = await SpreadRun.of(seed, rules)
    await run.run()
    const counts = new KeyCounts(run, rules)
    // All lines of an epoch lie within one window, and epochs lie further apart than that.
    expect(counts.stored()).toEqual(counts.expected())
    const limited = rowsOf(run, 'limited').map(({ line }) => line)
    expect(new Set(limited).size).toBe(limited.length)
    const activity = activityIn(run.store)
    for (const [id, counted] of activity) {
      const { eventsIn, copied, created, eventsOut, dropped, failed, merged, held } = counted
      expect(eventsOut + dropped + failed + merged + held, id).toBe(eventsIn + copied + created)
    }
    expect(activity.get('limit')?.eventsIn).toBe(run.lines)
    expect(activity.get('all')?.eventsOut).toBe(limited.length)
    // Windows that end by themselves hold each line once, each with lines of its key alone.
    const groups = rowsOf(run, 'gathered').map(({ line }) => (line as string).split('\n'))
    expect(groups.flat().toSorted()).toEqual([...run.sent.keys()].toSorted())
    for (const lines of groups) expect(new Set(lines.map(text => run.sent.get(text)?.app)).size).toBe(1)
    expect(activity.get('gather')?.held).toBe(0)
  },
)

test('nothing is acknowledged before the events that it sends to other partitions are durable', async () => {
  const clock = manualClock()
  const log = memoryLog({ clock, entropy: seededEntropy(7) })
  const { ingest, checkpoints, keyed } = await openPartitionedTopics(log, SPREAD_PARTITIONS)
  const store = new MemoryStore()
  const configuration = new SampleConfiguration()
  configuration.deploy([
    SOURCE,
    node('transform', 'limit', 'throttle', ['source'], { threshold: 1, window_ms: 1_000 }),
    node('sink', 'limited', 'mezmo', ['limit']),
    node('sink', 'all', 'mezmo', ['source']),
  ])
  const answer = Promise.withResolvers<void>()
  let isHeld = false
  let sent = 0
  const held = withReplaced(keyed.topic, {
    append: async (partition, record) => {
      if (isHeld) {
        sent++
        await answer.promise
      }
      return keyed.topic.append(partition, record)
    },
  })
  const worker = new PartitionWorker({
    catalogue: CATALOGUE,
    partition: SPREAD_HOME,
    topic: ingest,
    checkpoints,
    targets: { ingest, keyed: held },
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
  isHeld = true
  const append = (lines: readonly SampleLine[]) =>
    ingest.append(SPREAD_HOME, { value: lineBatchValue([{ lines }]), producer: null, priority: 'ingest' })
  await append([{ line: 'first' }])
  clock.advance(5_000)
  await append([{ line: 'second' }]) // Ends the batch of the first.
  const stop = new AbortController()
  const running = worker.run(stop.signal)
  for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve))
  expect(sent).toBeGreaterThan(0)
  expect(store.rows('lines')).toEqual([])
  answer.resolve()
  while (store.rows('lines').length === 0) await new Promise(resolve => setImmediate(resolve))
  stop.abort()
  await running
  worker.close()
})

/** Limits by one field or the other, with a second throttle behind. */
class Rules implements SpreadScript {
  readonly pushes: boolean
  readonly ruleOf = new Map<number, Rule>()
  #rule: Rule = 'app'
  #mayChange = true

  constructor(pushes: boolean) {
    this.pushes = pushes
  }

  beginEpoch(): void {
    this.#mayChange = true
  }

  nodes(revision: number, dice: Dice) {
    if (revision > 1 && this.#mayChange && dice.chance(0.4)) {
      this.#mayChange = false
      this.#rule = this.#rule === 'app' ? 'level' : 'app'
    }
    this.ruleOf.set(revision, this.#rule)
    const limit = { ...RULES[this.#rule], window_ms: EPOCH_MS }
    return [
      this.pushes ? PUSHED_SOURCE : SOURCE,
      node('transform', 'limit', 'throttle', ['source'], limit),
      node('transform', 'all', 'throttle', ['limit'], { threshold: 1_000_000, window_ms: 1_000 }),
      node('sink', 'store', 'mezmo', ['all'], { ...AS_SENT, query: { tags: [this.#rule] } }),
      node('transform', 'gather', 'reduce', ['source'], {
        duration_ms: 2_000,
        group_by: ['.app'],
        merge_strategies: [{ field: '.line', strategy: 'concat_newline' }],
        ...(dice.chance(0.5) && { max_events: 4 }),
      }),
      node('sink', 'gathered', 'mezmo', ['gather'], { ...AS_SENT, query: { tags: ['gathered'] } }),
    ]
  }
}

/** Rows of one of the destinations, which differ by a tag. */
function rowsOf({ store }: SpreadRun, destination: 'limited' | 'gathered'): MemoryRow[] {
  const isGathered = ({ tags }: MemoryRow) => (tags as string[]).includes('gathered')
  return store.rows('lines').filter(row => isGathered(row) === (destination === 'gathered'))
}

class KeyCounts {
  readonly #run: SpreadRun
  readonly #rules: Rules

  constructor(run: SpreadRun, rules: Rules) {
    this.#run = run
    this.#rules = rules
  }

  /** Stored lines by epoch, rule and key; the revision that handled a line has left the name of its rule as a tag. */
  stored(): Record<string, number> {
    const rows = rowsOf(this.#run, 'limited')
    const keyOf = ({ line, tags }: MemoryRow) => this.#keyOf(line as string, (tags as Rule[])[0] as Rule)
    return sorted(Map.groupBy(rows, keyOf).entries(), each => each.length)
  }

  /**
   * Computes by a second reading of the logs which revision handled each line, and how many of each key its rule lets
   * pass.
   */
  expected(): Record<string, number> {
    const counts = new Map<string, { count: number; most: number }>()
    for (let partition = 0; partition < SPREAD_PARTITIONS; partition++) {
      let version = 0
      for (const value of this.#run.archive[partition] ?? []) {
        version = Math.max(version, ...versionsIn(value))
        if (schemaIdOf(value) !== lineBatchType.id) continue
        const rule = this.#rules.ruleOf.get(version) as Rule
        const batch = LineBatchView.decode(value)
        for (let index = 0; index < batch.count; index++) {
          const key = this.#keyOf(Event.ofLine(batch, index).member('line') as string, rule)
          counts.set(key, { count: (counts.get(key)?.count ?? 0) + 1, most: RULES[rule].threshold })
        }
      }
    }
    return sorted(counts.entries(), ({ count, most }) => Math.min(most, count))
  }

  #keyOf(text: string, rule: Rule): string {
    const line = this.#run.sent.get(text) as SentLine
    return `${line.epoch} ${rule} ${line[rule]}`
  }
}

/** Activity of every node, by the rows of its metrics. */
function activityIn(store: MemoryStore): Map<string, NodeActivity> {
  const sums = new Map<string, NodeActivity>()
  for (const row of store.rows('node_metrics')) {
    const sum = sums.get(row.node as string) ?? noCounts()
    for (const name of Object.keys(sum) as (keyof NodeActivity)[])
      sum[name] += Number(row[COLUMN_OF[name]] ?? 0)
    sums.set(row.node as string, sum)
  }
  return sums
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
  if (rekeyedType.has(id)) {
    const { parts } = rekeyedType.decode(value)
    return parts.flatMap(part => ('weir.ForwardedCut' in part ? [part['weir.ForwardedCut'].version] : []))
  }
  if (id !== controlType.id) return []
  const { body } = controlType.decode(value)
  return 'weir.Cut' in body && body['weir.Cut'].kind === 'pipeline' ? [body['weir.Cut'].version] : []
}
