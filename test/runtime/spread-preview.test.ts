import { expect, test } from 'vitest'
import { type NodeCounters, noCounts } from '../../engine/graph/node-counters.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { partitionsOf } from '../../engine/replay/followed-partition.ts'
import { type PreviewResult, TooMuchUnderWayError } from '../../engine/replay/preview/preview.ts'
import { previewOf } from '../../engine/replay/preview/preview-replay.ts'
import type { ReplayedPartition } from '../../engine/replay/replay.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { type Dice, newDice } from '../support/dice.ts'
import { SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { IS_LONG } from '../support/long-form.ts'
import { EPOCH_MS, SPREAD_PARTITIONS, SpreadRun, type SpreadScript } from '../support/spread-run.ts'
import { node, SOURCE } from '../support/world.ts'

const SEEDS = Number(process.env.SEEDS ?? (IS_LONG ? 2 : 1))
const FIRST_SEED = Number(process.env.SEED ?? 1)
const PIPELINE = 'pipeline-1'
const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index)

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

test.each(seeds)(
  'the deployed side gives exactly the counts of all partitions, whatever happened (SEED=%i)',
  async seed => {
    const script = { nodes: drawnNodes, isPause: (dice: Dice) => dice.chance(0.2) }
    const run = await ran(seed, { ...script, setsClock: true })
    const { deployed, underWay } = await preview(run, drawnNodes(1, newDice(seed)))
    expect(Object.fromEntries(deployed)).toEqual(Object.fromEntries(recorded(run)))
    expect(deployed.get('limit')?.dropped).toBeGreaterThan(10)
    expect(underWay).toBe(0)
  },
)

test.each(seeds)(
  'a draft that equals the deployed revision has no differences, from any time on (SEED=%i)',
  async seed => {
    const nodes = drawnNodes(1, newDice(seed))
    const script = { nodes: () => nodes, isPause: (dice: Dice) => dice.chance(0.2) }
    const times: number[] = []
    const run = await ran(seed, {
      ...script,
      setsClock: true,
      afterAction: async of => void times.push(await endOf(of)),
    })
    const dice = newDice(seed)
    const [fromMs, toMs] = [dice.pick(times), dice.pick(times)].toSorted((a, b) => a - b) as [number, number]
    const others = Array.from({ length: 8 }, () => ({ fromMs: dice.pick(times) }))
    const stretches = [{}, { fromMs, toMs }, { toMs }, ...others]
    for (const stretch of stretches) {
      const same = await preview(run, nodes, stretch)
      expect([same.differing, same.samples]).toEqual([0, []])
      expect(Object.fromEntries(same.draft)).toEqual(Object.fromEntries(same.deployed))
      expect(same.isOrderAssumed).toBe(false)
    }
  },
)

test.each(seeds)(
  'a draft passes exactly its own limit, even where it counts other keys than the deployed revision (SEED=%i)',
  async seed => {
    const byApp = limited('.app', 5)
    const without = [
      SOURCE,
      node('sink', 'store', 'mezmo', ['source']),
      node('sink', 'all', 'mezmo', ['source']),
    ]
    for (const [deployed, draft] of [
      [byApp, limited('.app', 3)],
      [byApp, limited('.level', 7)],
      [without, byApp],
      [byApp, without],
    ] as const) {
      const run = await ran(seed, { nodes: () => deployed })
      const result = await preview(run, draft)
      expect(result.deployed.get('store')?.eventsOut).toBe(passing(run, deployed))
      expect(result.draft.get('store')?.eventsOut).toBe(passing(run, draft))
      expect(result.draft.get('all')?.eventsOut).toBe(run.lines)
      expect(result.underWay).toBe(0)
      expect(result.isOrderAssumed).toBe(draft !== without && !isLimited(deployed, draft))
    }
  },
)

test.each(seeds)(
  'if the log has removed a part, different in each partition, the rest is exact (SEED=%i)',
  async seed => {
    const nodes = drawnNodes(1, newDice(seed))
    const times = [0]
    const run = await SpreadRun.of(seed, {
      nodes: () => nodes,
      afterAction: async of => void times.push(await endOf(of)),
    })
    await run.run()
    const firsts = await Promise.all(partitionsIn(run).map(({ topic, partition }) => topic.bounds(partition)))
    expect(firsts.filter(({ first }) => first > 0n).length).toBeGreaterThan(1)
    const dice = newDice(seed)
    for (const fromMs of [0, dice.pick(times), dice.pick(times), dice.pick(times)]) {
      const { deployed, draft, differing } = await preview(run, nodes, { fromMs })
      expect(differing).toBe(0)
      expect(Object.fromEntries(draft)).toEqual(Object.fromEntries(deployed))
    }
  },
)

test('windows that only the draft has end on time, and their results are distinguished from those of other windows', async () => {
  const run = await ran(FIRST_SEED, { nodes: () => plain })
  const gathered = await preview(run, [...plain, ...gathering('concat_newline')])
  expect(gathered.deployed.has('gather')).toBe(false)
  expect(gathered.draft.get('gather')).toMatchObject({ eventsIn: run.lines, held: 0 })
  const given = gathered.draft.get('gathered')?.eventsOut
  expect(given).toBeGreaterThan(20)
  expect(gathered.differing).toBe(given)
  expect(gathered.samples[0]?.draft.map(({ node: id }) => id)).toEqual(['gathered'])

  const other = await ran(FIRST_SEED, { nodes: () => [...plain, ...gathering('concat_newline')] })
  const { deployed, draft, differing } = await preview(other, [...plain, ...gathering('concat')])
  expect(draft).toEqual(
    new Map([...deployed].map(([id, counts]) => [id, { ...counts, ...bytesOf(draft, id) }])),
  )
  // Groups of one line are the same both ways.
  expect(differing).toBeGreaterThan(5)
  expect(differing).toBeLessThan(deployed.get('gathered')?.eventsOut ?? 0)
})

test('too many events between partitions at once end a preview', async () => {
  const run = await ran(FIRST_SEED, { nodes: () => limited('.app', 5) })
  await expect(preview(run, limited('.app', 3), {}, 3)).rejects.toThrow(TooMuchUnderWayError)
  expect((await preview(run, limited('.app', 3), {}, 10_000)).underWay).toBe(0)
})

/** Throttles behind each other and in parallel, by other keys, that meet again; and a window. */
function drawnNodes(_revision: number, dice: Dice): NodeDocument[] {
  const windowMs = () => dice.pick([2_000, 60_000, EPOCH_MS])
  const limit = {
    threshold: 1 + dice.below(4),
    window_ms: windowMs(),
    key_field: dice.pick(['.app', '.level']),
  }
  const second = { threshold: 2, window_ms: windowMs(), key_field: '.level' }
  return [
    SOURCE,
    node('transform', 'limit', 'throttle', ['source'], limit),
    node('transform', 'second', 'throttle', ['limit'], second),
    node('transform', 'sample', 'throttle', ['source'], {
      threshold: 3,
      window_ms: windowMs(),
      key_field: '.level',
    }),
    node('transform', 'both', 'throttle', ['second', 'sample', 'limit'], {
      threshold: 9,
      window_ms: windowMs(),
    }),
    node('sink', 'store', 'mezmo', ['both']),
    node('transform', 'gather', 'reduce', ['limit'], {
      duration_ms: 2_000,
      max_events: 3,
      group_by: ['.level'],
      merge_strategies: [{ field: '.line', strategy: 'concat_newline' }],
    }),
    node('transform', 'groups', 'throttle', ['gather'], {
      threshold: 4,
      window_ms: windowMs(),
      key_field: '.app',
    }),
    node('sink', 'gathered', 'mezmo', ['groups']),
  ]
}

const plain: NodeDocument[] = [SOURCE, node('sink', 'store', 'mezmo', ['source'])]

function gathering(strategy: string): NodeDocument[] {
  const options = {
    duration_ms: 2_000,
    group_by: ['.level'],
    merge_strategies: [{ field: '.line', strategy }],
  }
  return [
    node('transform', 'gather', 'reduce', ['source'], options),
    node('sink', 'gathered', 'mezmo', ['gather']),
  ]
}

/** Contents differ, so their sizes do. */
function bytesOf(counters: PreviewResult['draft'], id: string): Partial<NodeCounters> {
  const { bytesIn, bytesOut } = counters.get(id) ?? noCounts()
  return { bytesIn, bytesOut }
}

function limited(key: '.app' | '.level', threshold: number): NodeDocument[] {
  return [
    SOURCE,
    node('transform', 'limit', 'throttle', ['source'], { threshold, window_ms: EPOCH_MS, key_field: key }),
    node('sink', 'store', 'mezmo', ['limit']),
    node('sink', 'all', 'mezmo', ['source']),
  ]
}

function isLimited(one: readonly NodeDocument[], other: readonly NodeDocument[]): boolean {
  const keyOf = (nodes: readonly NodeDocument[]) =>
    nodes.find(({ id }) => id === 'limit')?.user_config.key_field
  return keyOf(one) !== undefined && keyOf(one) === keyOf(other)
}

/** All lines of an epoch lie within one window, and epochs lie further apart than that. */
function passing(run: SpreadRun, nodes: readonly NodeDocument[]): number {
  const options = nodes.find(({ id }) => id === 'limit')?.user_config
  if (options === undefined) return run.lines
  const { key_field: field, threshold } = options
  const counts = new Map<string, number>()
  for (const { epoch, app, level } of run.sent.values()) {
    const key = `${epoch} ${field === '.app' ? app : level}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts.values()].reduce((sum, count) => sum + Math.min(count, threshold as number), 0)
}

async function ran(seed: number, script: SpreadScript): Promise<SpreadRun> {
  const run = await SpreadRun.of(seed, { ...script, keepsLog: true })
  await run.run()
  return run
}

function preview(
  run: SpreadRun,
  nodes: readonly NodeDocument[],
  { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER - 1 }: { fromMs?: number; toMs?: number } = {},
  maxUnderWay?: number,
): Promise<PreviewResult> {
  const document = { id: PIPELINE, accountId: SAMPLE_ACCOUNT, title: 'P', revision: 0, nodes }
  const stretch = {
    partitions: partitionsIn(run),
    account: SAMPLE_ACCOUNT,
    fromMs,
    toMs,
    rest: () => Promise.resolve(),
  }
  const progress = { records: 0, ofRecords: 0, lines: 0 }
  return previewOf(document, stretch, { maxSamples: 3, maxUnderWay, progress })
}

function partitionsIn({ topics: { ingest, checkpoints, keyed } }: SpreadRun): ReplayedPartition[] {
  return [
    ...partitionsOf(CATALOGUE, ingest, checkpoints),
    ...partitionsOf(CATALOGUE, keyed.topic, keyed.checkpoints),
  ]
}

/** Time of the newest record of any partition, UNIX ms. */
async function endOf({ topics: { ingest } }: SpreadRun): Promise<number> {
  const times = [0]
  for (let partition = 0; partition < SPREAD_PARTITIONS; partition++) {
    const { next } = await ingest.bounds(partition)
    const [last] = next > 0n ? await ingest.read(partition, next - 1n, 1) : []
    if (last !== undefined) times.push(last.appendTimeMs)
  }
  return Math.max(...times)
}

/** Counters of every node, by the rows of its metrics. */
function recorded({ store }: SpreadRun): Map<string, NodeCounters> {
  const sums = new Map<string, NodeCounters>()
  for (const { node: id, pipeline, ...row } of store.rows('node_metrics')) {
    if (pipeline !== PIPELINE) continue
    const sum = sums.get(id as string) ?? noCounts()
    for (const name of Object.keys(sum) as (keyof NodeCounters)[])
      sum[name] += Number(row[COLUMN_OF[name]] ?? 0)
    sums.set(id as string, sum)
  }
  return sums
}
