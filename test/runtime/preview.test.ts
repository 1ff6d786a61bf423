import { expect, test } from 'vitest'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { Preview, type PreviewSample, TooDearError } from '../../engine/replay/preview/preview.ts'
import { PartitionReplay } from '../../engine/replay/replay.ts'
import { CHECKPOINT_TOPIC } from '../../schemas/log/topics.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { newDice } from '../support/dice.ts'
import { SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { exclusion, newWorld, node, passSecond, SOURCE, settle, type World } from '../support/world.ts'

const rest = () => Promise.resolve()

const nodes = (threshold: number): NodeDocument[] => [
  SOURCE,
  node('transform', 'filter', 'filter', ['source'], {
    action: 'drop',
    conditional: { expressions: [{ field: '.level', str_operator: 'equal', value: 'debug' }] },
  }),
  node('transform', 'limit', 'throttle', ['filter'], { threshold, window_ms: 20_000, key_field: '.app' }),
  node('sink', 'store', 'log-analysis', ['limit']),
  node('sink', 'all', 'blackhole', ['source']),
]

async function preview(
  world: World,
  draft: readonly NodeDocument[],
  from = 0n,
  until?: bigint,
): Promise<Preview> {
  const { ingest, partition, log } = world
  const checkpoints = await log.topic(CHECKPOINT_TOPIC, ingest.partitions)
  const source = { catalogue: CATALOGUE, topic: ingest, checkpoints, partition }
  const begin = async () => {
    const replay = await PartitionReplay.reaching(source, from, { account: SAMPLE_ACCOUNT })
    await replay.foldTo(from, rest)
    return replay
  }
  const deployed = await begin()
  const folds = { deployed: deployed.fold, draft: (await begin()).fold }
  const document = {
    id: 'pipeline-1',
    accountId: SAMPLE_ACCOUNT,
    title: 'P',
    revision: 0,
    nodes: draft,
  }
  const comparison = new Preview([folds], document, { maxSamples: 3 })
  const { next } = await ingest.bounds(partition)
  for await (const record of deployed.records(until ?? next, rest)) comparison.apply(record)
  return comparison
}

function shownSample({ event, deployed, draft }: PreviewSample) {
  const sinks = (left: PreviewSample['draft']) => left.map(({ node: id }) => id)
  return [event.member('line'), { deployed: sinks(deployed), draft: sinks(draft) }]
}

/** Counters of a pipeline from an offset on, as the worker has recorded them. */
function recorded(world: World, pipeline: string, from = 0n) {
  const counts = new Map<string, Record<string, number>>()
  for (const row of world.store.rows('node_metrics')) {
    if (row.pipeline !== pipeline || BigInt(row.offset as number) < from) continue
    const of = counts.get(row.node as string) ?? {}
    counts.set(row.node as string, of)
    for (const name of [
      'events_in',
      'bytes_in',
      'events_out',
      'bytes_out',
      'dropped',
      'dropped_bytes',
      'failed',
    ])
      of[name] = (of[name] ?? 0) + Number(row[name])
  }
  return counts
}

test.each([1, 2, 3, 4])(
  'the deployed side gives exactly the recorded counts, whatever happened (SEED=%i)',
  async seed => {
    const dice = newDice(seed)
    const world = await newWorld()
    let worker = await world.worker()
    let version = 0
    world.configuration.deploy(nodes(2), ++version)
    await passSecond(world, worker)
    for (let step = 0; step < 60; step++) {
      const roll = dice.below(100)
      if (roll < 70) {
        const lines = Array.from({ length: 1 + dice.below(9) }, (_, n) => ({
          line: `${step} ${n}`,
          app: dice.pick(['a', 'b']),
          level: dice.pick(['debug', 'info']),
        }))
        await world.append(lines)
      } else if (roll < 80)
        world.configuration.deploy(nodes(1 + dice.below(3)), ++version, 'pipeline-1', dice.chance(0.2))
      else if (roll < 84)
        world.configuration.rule(++version, {
          exclusions: [exclusion('1111111111', { query: dice.pick(['0', '3 OR 5', 'app:a']) })],
        })
      else if (roll < 92) world.clock.advance(dice.below(30_000))
      else {
        worker.close()
        worker = await world.worker()
      }
      await passSecond(world, worker)
    }
    // Lets the last minute be recorded, too.
    world.clock.advance(61_000)
    await passSecond(world, worker)
    world.clock.advance(61_000)
    await passSecond(world, worker)

    const { deployed } = (await preview(world, nodes(1))).result
    const counted = [...deployed].map(([id, counts]) => [
      id,
      {
        events_in: counts.eventsIn,
        bytes_in: counts.bytesIn,
        events_out: counts.eventsOut,
        bytes_out: counts.bytesOut,
        dropped: counts.dropped,
        dropped_bytes: counts.droppedBytes,
        failed: counts.failed,
      },
    ])
    expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(recorded(world, 'pipeline-1')))
    expect(deployed.get('limit')?.eventsIn).toBeGreaterThan(20)
  },
)

test('a draft shows its results for the same lines, and the differences', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  world.configuration.deploy(nodes(1), 1)
  await passSecond(world, worker)
  const before = await world.append([{ line: 'before', app: 'a' }])
  await passSecond(world, worker)
  await world.append([
    { line: 'over the limit', app: 'a' },
    { line: 'first', app: 'b' },
    { line: 'second', app: 'b' },
    { line: 'third', app: 'b' },
    { line: 'debug', app: 'c', level: 'debug' },
  ])
  await passSecond(world, worker)

  const same = (await preview(world, nodes(1), before + 1n)).result
  expect(same.differing).toBe(0)
  expect(same.draft).toEqual(same.deployed)
  expect(same.deployed.get('limit')).toMatchObject({ eventsIn: 4, dropped: 3 })

  // The memory of before counts for both: one of "a" has passed already.
  const wider = await preview(world, nodes(2), before + 1n)
  expect(wider.lines).toBe(5)
  expect(wider.result.deployed.get('store')?.eventsIn).toBe(1)
  expect(wider.result.draft.get('store')?.eventsIn).toBe(3)
  expect(wider.result.differing).toBe(2)
  expect(wider.result.samples.map(shownSample)).toEqual([
    ['over the limit', { deployed: ['all'], draft: ['all', 'store'] }],
    ['second', { deployed: ['all'], draft: ['all', 'store'] }],
  ])

  const without = (await preview(world, [SOURCE, node('sink', 'new', 'blackhole', ['source'])], before + 1n))
    .result
  expect(without.draft.get('new')).toMatchObject({ eventsIn: 5 })
  expect(without.draft.has('limit')).toBe(false)
  expect(without.differing).toBe(5)
  expect(without.samples).toHaveLength(3)
})

test('a draft is paused during pauses of the pipeline', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  let version = 0
  for (const paused of [false, true, false, true]) {
    world.configuration.deploy(nodes(9), ++version, 'pipeline-1', paused)
    await passSecond(world, worker)
    await world.append([{ line: `${version}` }])
    await passSecond(world, worker)
  }
  const { next } = await world.ingest.bounds(world.partition)
  for (const from of [1n, next - 1n]) {
    const { result } = await preview(world, nodes(9), from)
    expect(result.differing).toBe(0)
    expect(result.draft).toEqual(result.deployed)
  }
})

test('windows whose time was over during a pause end with the record of the resumption, also in a draft', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  const gathering: NodeDocument[] = [
    SOURCE,
    node('transform', 'gather', 'reduce', ['source'], { duration_ms: 1_000 }),
    node('transform', 'limit', 'throttle', ['gather'], { threshold: 1, window_ms: 60_000 }),
    node('sink', 'store', 'log-analysis', ['limit']),
  ]
  let version = 0
  const publish = async (paused: boolean) => {
    world.configuration.deploy(gathering, ++version, 'pipeline-1', paused)
    await settle(worker)
  }
  await publish(false)
  const from = (await world.ingest.bounds(world.partition)).next
  await world.append([{ line: 'one' }])
  await settle(worker)
  await publish(true)
  world.clock.advance(5_000)
  await publish(false)
  const { next } = await world.ingest.bounds(world.partition)
  const { differing, deployed, draft } = (await preview(world, gathering, from, next)).result
  expect(deployed.get('store')?.eventsOut).toBe(1)
  expect(draft).toEqual(deployed)
  expect(differing).toBe(0)
})

test('a line that rules exclude does not leave by any destination, on either side', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  const shouting: NodeDocument[] = [
    SOURCE,
    node('transform', 'silence', 'drop-fields', ['source'], { fields: ['.app'] }),
    node('sink', 'store', 'log-analysis', ['silence']),
  ]
  world.configuration.deploy([SOURCE, node('sink', 'store', 'log-analysis', ['source'])])
  world.configuration.rule(1, { exclusions: [exclusion('1111111111', { apps: ['noisy'] })] })
  await passSecond(world, worker)
  await world.append([
    { line: 'left out', app: 'noisy' },
    { line: 'stored', app: 'quiet' },
  ])
  await passSecond(world, worker)
  const { deployed, draft, differing, samples } = (await preview(world, shouting)).result
  expect(deployed.get('store')).toMatchObject({ eventsIn: 2, dropped: 1, eventsOut: 1 })
  // Without its app, the line no longer matches the rule.
  expect(draft.get('store')).toMatchObject({ eventsIn: 2, dropped: 0, eventsOut: 2 })
  // The other one leaves without its app.
  expect(differing).toBe(2)
  expect(samples.map(shownSample)).toEqual([
    ['left out', { deployed: [], draft: ['store'] }],
    ['stored', { deployed: ['store'], draft: ['store'] }],
  ])
})

test('lines that leave with other content differ, including those from windows', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  const gathering = (strategy: string, field: string): NodeDocument[] => [
    SOURCE,
    node('transform', 'gather', 'reduce', ['source'], {
      duration_ms: 1_000,
      merge_strategies: [{ field: '.line', strategy }],
    }),
    node('transform', 'without', 'drop-fields', ['source'], { fields: [field] }),
    node('sink', 'gathered', 'log-analysis', ['gather']),
    node('sink', 'store', 'log-analysis', ['without']),
  ]
  world.configuration.deploy(gathering('concat', '.absent'))
  await passSecond(world, worker)
  const from = (await world.ingest.bounds(world.partition)).next
  await world.append([
    { line: 'one', app: 'a', level: 'info' },
    { line: 'two', app: 'a' },
  ])
  for (let second = 0; second < 3; second++) await passSecond(world, worker)

  const same = (await preview(world, gathering('concat', '.absent'), from)).result
  expect([same.differing, same.samples]).toEqual([0, []])
  const other = (await preview(world, gathering('concat_newline', '.level'), from)).result
  expect(other.differing).toBe(2)
  const messages = (left: PreviewSample['draft']) => left.map(({ event }) => event.member('line'))
  expect(other.samples.map(({ deployed, draft }) => [messages(deployed), messages(draft)])).toEqual([
    [['one'], ['one']],
    [['one two'], ['one\ntwo']],
  ])
  expect(other.samples[0]?.deployed[0]?.event.message).toHaveProperty('level', 'info')
  expect(other.samples[0]?.draft[0]?.event.message).not.toHaveProperty('level')
})

test('a preview ends with a sentence if the expressions of the draft cost too much', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  world.configuration.deploy(nodes(2), 1)
  await passSecond(world, worker)
  await world.append([{ line: 'abcd0123'.repeat(2_000) }])
  await passSecond(world, worker)
  const value = '[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]'
  const conditional = { expressions: [{ field: '.line', str_operator: 'regex_match', value }] }
  const draft = [
    SOURCE,
    node('transform', 'filter', 'filter', ['source'], { action: 'drop', conditional }),
    node('sink', 'store', 'log-analysis', ['filter']),
  ]
  await expect(preview(world, draft)).rejects.toThrow(TooDearError)
  await expect(preview(world, draft)).rejects.toThrow(/^The expressions took more work on one event/)
})
