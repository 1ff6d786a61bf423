import { afterEach, describe, expect, test } from 'vitest'
import { explainedLine } from '../../api/pipeline/explain/explained-lines.ts'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { encodeControl } from '../../engine/fold/control-record.ts'
import { foldIdentity, PartitionFold } from '../../engine/fold/partition-fold.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { openPartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { explainRecord } from '../../engine/replay/line-explanation.ts'
import { MovedEvents } from '../../engine/replay/moved-events.ts'
import { finish } from '../../engine/steps.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import { controlType } from '../../schemas/log/control.ts'
import { rekeyedType } from '../../schemas/log/rekeyed.ts'
import { isLineTable } from '../../schemas/log/tables.ts'
import { KEYED_TOPIC } from '../../schemas/log/topics.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import { lineBatchValue, SAMPLE_ACCOUNT, type SampleLine } from '../support/line-batches.ts'
import { MemoryStore } from '../support/memory-store.ts'
import {
  exclusion,
  expectConservation,
  newestCheckpoint,
  newWorld,
  node,
  passSecond,
  retention,
  SampleConfiguration,
  SOURCE,
  settle,
  type World,
} from '../support/world.ts'

afterEach(expectConservation)

const PIPELINE = [
  SOURCE,
  node('transform', 'drop', 'filter', ['source'], {
    action: 'drop',
    conditional: { expressions: [{ field: '.line', str_operator: 'contains', value: 'filtered' }] },
  }),
  node('sink', 'store', 'mezmo', ['drop']),
]

async function send(world: World, worker: PartitionWorker, ...lines: SampleLine[]): Promise<void> {
  await settle(worker) // puts them behind the cuts of the configuration
  await world.append(lines)
  await passSecond(world, worker)
}

/** Counts of a node so far: events that came in, were dropped, and were passed on. */
function countsOf(worker: PartitionWorker, node: string, pipeline = '') {
  const totals = [...worker.nodeTotals].find(each => each.node === node && each.pipeline === pipeline)
  if (totals === undefined) return undefined
  const { eventsIn, dropped, droppedBytes, eventsOut } = totals.activity
  return { eventsIn, dropped, droppedBytes, eventsOut }
}

describe.each([
  ['the default graph', [], '', 'own-store'],
  ['a pipeline', PIPELINE, 'pipeline-1', 'store'],
] as const)('through %s', (_name, nodes, pipeline, sink) => {
  async function ruledWorld() {
    const world = await newWorld()
    if (nodes.length > 0) world.configuration.deploy(nodes)
    return { world, worker: await world.worker() }
  }

  test('lines that match an exclusion rule are not stored, and are counted as dropped by it', async () => {
    const { world, worker } = await ruledWorld()
    await send(world, worker, { line: 'before', app: 'noisy' })
    world.configuration.rule(5, {
      exclusions: [
        exclusion('1111111111', { apps: ['noisy', 'loud'] }),
        exclusion('2222222222', { hosts: ['web-1'], query: 'healthcheck -failed' }),
      ],
    })
    await send(
      world,
      worker,
      { line: 'one', app: 'noisy' },
      { line: 'two', app: 'quiet' },
      { line: 'Healthcheck fine', app: 'quiet' },
      { line: 'healthcheck failed', app: 'quiet' },
      { line: 'healthcheck of another', app: 'quiet', host: 'web-2' },
      { line: 'healthcheck', app: 'loud' },
    )
    const kept = ['two', 'healthcheck failed', 'healthcheck of another']
    expect(world.storedLines()).toEqual(['before', ...kept])
    expect(countsOf(worker, 'exclusion-1111111111')).toMatchObject({ eventsIn: 2, dropped: 2, eventsOut: 0 })
    expect(countsOf(worker, 'exclusion-2222222222')).toMatchObject({ eventsIn: 1, dropped: 1 })
    expect(countsOf(worker, sink, pipeline)).toMatchObject({ eventsIn: 7, dropped: 3, eventsOut: 4 })
    expect(countsOf(worker, sink, pipeline)?.droppedBytes).toBeGreaterThan(0)
    world.configuration.rule(6, {})
    await send(world, worker, { line: 'after', app: 'noisy' })
    expect(world.storedLines().slice(4)).toEqual(['after'])
  })

  test('the first matching retention rule sets the retention and the pool of a line', async () => {
    const { world, worker } = await ruledWorld()
    world.configuration.rule(5, {
      exclusions: [exclusion('1111111111', { apps: ['out'] })],
      retentionRules: [
        retention('aaaaaaaaaa', 3, { levels: ['debug'] }),
        retention('bbbbbbbbbb', 90, { apps: ['web'], hosts: ['web-1'] }),
        retention('cccccccccc', 7, { query: 'order.total:>100' }),
      ],
    })
    await send(
      world,
      worker,
      { line: 'a', app: 'web', level: 'debug' },
      { line: 'b', app: 'web' },
      { line: 'c', app: 'web', host: 'web-2' },
      { line: '{"order":{"total":101}}' },
      { line: '{"order":{"total":100}}' },
      { line: 'd', app: 'out', level: 'debug' },
    )
    const kept = world.store.rows('lines').map(({ line, retention, pool }) => [line, retention, pool])
    expect(kept).toEqual([
      ['a', 3, 3],
      ['b', 90, 90], // Longer than the account's 30 days: the pool names the retention in force.
      ['c', 30, 0],
      ['{"order":{"total":101}}', 7, 7],
      ['{"order":{"total":100}}', 30, 0],
    ])
  })

  test('an explanation names the rule that excluded a line', async () => {
    const { world, worker } = await ruledWorld()
    world.configuration.rule(5, {
      exclusions: [exclusion('1111111111', { title: 'noise', apps: ['noisy'] })],
    })
    await send(world, worker, { line: 'kept', app: 'a' }, { line: 'left out', app: 'noisy' })
    const fold = new PartitionFold(CATALOGUE, foldIdentity(world.ingest, world.partition))
    const records = await world.ingest.read(world.partition, 0n, 1_000_000)
    const explained = records.flatMap(
      record => finish(explainRecord(fold, record, SAMPLE_ACCOUNT, () => true))?.lines ?? [],
    )
    expect(explained.map(({ stored }) => stored.length)).toEqual([1, 0])
    const reason = { rule: 'exclusion rule "noise" (1111111111)', rule_id: '1111111111' }
    expect(explained.map(({ excluded }) => excluded)).toEqual([[], [{ pipeline, node: sink, reason }]])
    const steps = explained[1]?.pipelines[0]?.steps ?? []
    if (pipeline !== '') expect(steps.at(-1)).toMatchObject({ node: sink, outcome: 'dropped', reason })
  })
})

describe('a line that a rule drops entirely', () => {
  const LIMITED = [
    SOURCE,
    node('transform', 'limit', 'throttle', ['source'], { threshold: 2, window_ms: 60_000 }),
    node('sink', 'store', 'mezmo', ['limit'], { query: { hostname: 'renamed' } }),
  ]
  const dropped = (id: string, conditions: Parameters<typeof exclusion>[1]) =>
    exclusion(id, { ...conditions, entirely: true })

  test('does not reach a node of a pipeline, does not count for a throttle, and is counted once', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.deploy(LIMITED)
    world.configuration.rule(5, {
      exclusions: [
        exclusion('1111111111', { query: 'noise' }),
        dropped('2222222222', { apps: ['noisy'], title: 'noisy apps' }),
        dropped('3333333333', { query: 'secret' }),
      ],
    })
    await send(
      world,
      worker,
      { line: 'noise', app: 'noisy' },
      { line: 'one', app: 'quiet' },
      { line: 'a secret', app: 'quiet' },
      { line: 'more', app: 'noisy' },
      { line: 'two', app: 'quiet' },
      { line: 'three', app: 'quiet' },
    )
    expect(world.store.rows('lines').map(({ line, row }) => [line, row])).toEqual([
      ['one', 0],
      ['two', 1],
    ])
    expect(countsOf(worker, 'exclusion-2222222222')).toMatchObject({ eventsIn: 2, dropped: 2 })
    expect(countsOf(worker, 'exclusion-3333333333')).toMatchObject({ eventsIn: 1, dropped: 1 })
    expect(countsOf(worker, 'exclusion-1111111111')).toBeUndefined()
    expect(countsOf(worker, 'limit', 'pipeline-1')).toMatchObject({ eventsIn: 3, dropped: 1 })
    expect(countsOf(worker, 'store', 'pipeline-1')).toMatchObject({ eventsIn: 2, dropped: 0 })
  })

  test('is judged as it arrives, and once more as it would be stored', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.deploy(LIMITED)
    world.configuration.rule(5, {
      exclusions: [
        dropped('1111111111', { hosts: ['web-1'] }),
        dropped('2222222222', { hosts: ['renamed'], query: 'two' }),
      ],
    })
    await send(
      world,
      worker,
      { line: 'one', host: 'web-1' },
      { line: 'two', host: 'web-2' },
      { line: 'three', host: 'web-2' },
    )
    expect(world.store.rows('lines').map(({ line, host, row }) => [line, host, row])).toEqual([
      ['three', 'renamed', 1],
    ])
    expect(countsOf(worker, 'limit', 'pipeline-1')).toMatchObject({ eventsIn: 2, dropped: 0 })
    expect(countsOf(worker, 'store', 'pipeline-1')).toMatchObject({ eventsIn: 2, dropped: 1 })
    for (const name of ['exclusion-1111111111', 'exclusion-2222222222'])
      expect(countsOf(worker, name), name).toMatchObject({ eventsIn: 1, dropped: 1 })
  })

  test('is not repeated: a repeated request is not another line that a rule drops', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.rule(5, { exclusions: [dropped('1111111111', { apps: ['noisy'] })] })
    await settle(worker)
    const idempotency = { key: 'a', digest: Buffer.from('0123456789abcdef') }
    const value = lineBatchValue([{ lines: [{ line: 'x', app: 'noisy' }], idempotency }])
    for (let time = 0; time < 3; time++)
      await world.ingest.append(world.partition, { value, producer: null, priority: 'ingest' })
    await passSecond(world, worker)
    expect(countsOf(worker, 'exclusion-1111111111')).toMatchObject({ eventsIn: 1, dropped: 1 })
  })

  test('does not count among the names of fields of the day', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.rule(5, { exclusions: [dropped('1111111111', { query: 'secret:*' })] })
    await send(world, worker, { line: '{"secret":"x"}' }, { line: '{"open":"x"}' })
    await worker.finish()
    const { states } = await newestCheckpoint(world)
    const names = states.find(
      ({ holder }) => 'weir.AccountPart' in holder && holder['weir.AccountPart'].part === 'names',
    )
    expect(String(names?.data)).toContain('open')
    expect(String(names?.data)).not.toContain('secret')
  })

  test('is also dropped by the rules of a quota, until the end of the quota', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.deploy(LIMITED)
    const untilMs = world.clock.wallMs() + 10_000
    const rule = { apps: ['a'], hosts: [], query: '', entirely: true }
    world.configuration.quota(5, [
      { period: 'daily', untilMs, discards: false, rules: [{ ...rule, number: 3 }] },
    ])
    await send(world, worker, { line: '1', app: 'a' }, { line: '2', app: 'b' })
    world.clock.advance(10_000)
    await send(world, worker, { line: '3', app: 'a' })
    expect(world.storedLines()).toEqual(['2', '3'])
    expect(countsOf(worker, 'quota-daily-3')).toMatchObject({ eventsIn: 1, dropped: 1 })
    expect(countsOf(worker, 'limit', 'pipeline-1')).toMatchObject({ eventsIn: 2 })
  })

  test('is explained by its rule', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.deploy(LIMITED)
    world.configuration.rule(5, { exclusions: [dropped('1111111111', { title: 'noise', apps: ['noisy'] })] })
    await send(world, worker, { line: 'left out', app: 'noisy' }, { line: 'kept', app: 'a' })
    const fold = new PartitionFold(CATALOGUE, foldIdentity(world.ingest, world.partition))
    const records = await world.ingest.read(world.partition, 0n, 1_000_000)
    const explained = records.flatMap(
      record => finish(explainRecord(fold, record, SAMPLE_ACCOUNT, () => true)) ?? [],
    )
    const reason = { rule: 'exclusion rule "noise" (1111111111)', rule_id: '1111111111' }
    expect(explained.flatMap(({ lines }) => lines)).toMatchObject([
      { isRepeat: false, droppedFor: reason, stored: [], excluded: [], pipelines: [{ steps: [] }] },
      { isRepeat: false, droppedFor: undefined, stored: [{ row: 0 }] },
    ])
    const moved = new MovedEvents({} as never, SAMPLE_ACCOUNT, () => Promise.resolve())
    const drops = explained.flatMap(record =>
      record.lines.map(line => {
        const { partition } = world
        const followed = { catalogue: CATALOGUE, account: SAMPLE_ACCOUNT, record, partition, line, moved }
        return explainedLine({ ...followed, handed: { of: () => undefined } }, 'pipeline-1')
      }),
    )
    expect(drops).toMatchObject([
      {
        summary: 'Dropped by exclusion rule "noise" (1111111111) before any pipeline.',
        stored: [],
        excluded: [{ pipeline_id: null, node_id: null, reason }],
        pipeline: { took_it: false, steps: [] },
      },
      { summary: 'Revision 1: stored once.', excluded: [], pipeline: { took_it: true } },
    ])
  })
})

test('a result that a window releases as a line arrives is not listed under that line', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  world.configuration.deploy([
    SOURCE,
    node('transform', 'gather', 'reduce', ['source'], { duration_ms: 5_000, group_by: ['.app'] }),
    node('sink', 'store', 'mezmo', ['gather']),
  ])
  world.configuration.rule(1, { exclusions: [exclusion('1111111111', { apps: ['noisy'] })] })
  await settle(worker)
  await world.append([
    { line: 'a', app: 'noisy' },
    { line: 'b', app: 'quiet' },
  ])
  world.clock.advance(6_000)
  await world.append([
    { line: 'c', app: 'other' },
    { line: 'd', app: 'another' },
  ])
  await passSecond(world, worker)
  expect(world.storedLines()).toEqual(['b'])
  const fold = new PartitionFold(CATALOGUE, foldIdentity(world.ingest, world.partition))
  const records = await world.ingest.read(world.partition, 0n, 1_000_000)
  const explained = records.flatMap(
    record => finish(explainRecord(fold, record, SAMPLE_ACCOUNT, () => true))?.lines ?? [],
  )
  expect(explained.map(({ stored, excluded }) => [stored, excluded])).toEqual(Array(4).fill([[], []]))
})

test('a query about values that are determined later, an unreadable query and a rule without conditions match nothing', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  const queries = [
    '_retention:30',
    '-_retention:7',
    '-retention:7',
    '_mezmo_line_size:>0 OR a',
    'a -mezmo_line_size:7',
    'retention:30',
    'a AND',
    '(',
    '',
    '  ',
    '\t\n',
  ]
  world.configuration.rule(5, {
    exclusions: queries.map((query, index) => exclusion(`${index}`.padStart(10, '0'), { query })),
    retentionRules: [retention('aaaaaaaaaa', 3, { query: '_retention:30' })],
  })
  await send(world, worker, { line: 'a' })
  expect(world.store.rows('lines').map(({ line, pool }) => [line, pool])).toEqual([['a', 0]])
})

test('rules survive kills and restarts, from the checkpoint and from the log', async () => {
  const world = await newWorld()
  let worker = await world.worker()
  world.configuration.rule(5, { exclusions: [exclusion('1111111111', { apps: ['noisy'] })] })
  await send(world, worker, { line: '1', app: 'noisy' }, { line: '2', app: 'a' })
  worker = await world.worker() // A kill.
  await send(world, worker, { line: '3', app: 'noisy' }, { line: '4', app: 'a' })
  await worker.finish()
  worker = await world.worker()
  await send(world, worker, { line: '5', app: 'noisy' }, { line: '6', app: 'a' })
  expect(world.storedLines()).toEqual(['2', '4', '6'])
  world.configuration.rule(6, {})
  await settle(worker)
})

test('a version that is not newer changes nothing, and lines meet the rules of their place in the log', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  const old = world.configuration.rule(5, { exclusions: [exclusion('1111111111', { apps: ['a'] })] })
  await send(world, worker, { line: '1', app: 'a' }, { line: '2', app: 'b' })
  world.configuration.rule(6, { exclusions: [exclusion('1111111111', { apps: ['b'] })] })
  await send(world, worker, { line: '3', app: 'a' }, { line: '4', app: 'b' })
  await world.ingest.append(world.partition, {
    value: encodeControl(CATALOGUE, { 'weir.Cut': old }),
    producer: null,
    priority: 'control',
  })
  await send(world, worker, { line: '5', app: 'a' }, { line: '6', app: 'b' })
  expect(world.storedLines()).toEqual(['2', '3', '5'])
  // The log has its results again, even after the configuration has changed.
  world.configuration.rule(7, {})
  const fold = new PartitionFold(CATALOGUE, foldIdentity(world.ingest, world.partition))
  let rows = 0
  for (const record of await world.ingest.read(world.partition, 0n, 1_000_000))
    for (const { tables } of fold.apply(record))
      for (const table of tables) if (isLineTable(table.table)) rows += table.rows
  expect(rows).toBe(3)
})

describe('a quota that is used up', () => {
  test('excludes all lines until the end of its period, in log time', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    const untilMs = (Math.floor(world.clock.wallMs() / DAY_MS) + 1) * DAY_MS
    world.configuration.quota(3, [{ period: 'daily', untilMs, discards: true, rules: [] }])
    await send(world, worker, { line: 'in vain' })
    world.clock.advance(untilMs - 1 - world.clock.wallMs())
    await world.append([{ line: 'the last in vain' }])
    world.clock.advance(1)
    await world.append([{ line: 'a new day' }])
    await passSecond(world, worker)
    expect(world.storedLines()).toEqual(['a new day'])
    expect(countsOf(worker, 'quota-daily')).toMatchObject({ eventsIn: 2, dropped: 2 })
  })

  test('has rules that act earlier, and ordinary rules come first', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    const untilMs = world.clock.wallMs() + DAY_MS
    const conditions = { apps: [], hosts: [], query: '' }
    world.configuration.rule(4, { exclusions: [exclusion('1111111111', { apps: ['a'], query: 'x' })] })
    world.configuration.quota(5, [
      { period: 'daily', untilMs, discards: false, rules: [{ ...conditions, number: 2, apps: ['a'] }] },
      { period: 'monthly', untilMs, discards: false, rules: [{ ...conditions, number: 1, query: 'y' }] },
    ])
    await send(
      world,
      worker,
      { line: 'x', app: 'a' },
      { line: 'y', app: 'a' },
      { line: 'y', app: 'b' },
      { line: 'x', app: 'b' },
    )
    expect(world.storedLines()).toEqual(['x'])
    for (const name of ['exclusion-1111111111', 'quota-daily-2', 'quota-monthly-1'])
      expect(countsOf(worker, name), name).toMatchObject({ eventsIn: 1, dropped: 1 })
  })
})

test('programs that do not know rules refuse records with rules', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  world.configuration.rule(5, { exclusions: [exclusion('1111111111', { apps: ['a'] })] })
  world.configuration.quota(6, [])
  await settle(worker)
  const records = await world.ingest.read(world.partition, 0n, 1_000_000)
  const cuts = records
    .map(({ value }) => controlType.decode(value))
    .flatMap(({ behaviour, body }) => ('weir.Cut' in body ? [[body['weir.Cut'].kind, behaviour]] : []))
  expect(cuts).toEqual([
    ['line-rules', 3],
    ['quota', 3],
  ])
})

describe('an account on many partitions', () => {
  const LIMITED = [
    SOURCE,
    node('transform', 'limit', 'throttle', ['source'], {
      threshold: 100,
      window_ms: 60_000,
      key_field: '.app',
    }),
    node('sink', 'store', 'mezmo', ['limit']),
  ]

  test('has rules that hold on every partition that its events reach', async () => {
    const clock = manualClock()
    const log = memoryLog({ clock, entropy: seededEntropy(7) })
    const topics = await openPartitionedTopics(log, 2)
    const store = new MemoryStore()
    const configuration = new SampleConfiguration()
    configuration.everywhere = true
    configuration.deploy(LIMITED)
    configuration.rule(2, { exclusions: [exclusion('1111111111', { query: 'noise' })] })
    const spread = {
      kind: 'spread',
      entity: SAMPLE_ACCOUNT,
      version: 1,
      payload: '{"isSpread":true}',
    } as const
    configuration.set(spread)
    const { ingest, checkpoints, keyed } = topics
    const workers = [0, 1].flatMap(partition =>
      [
        { topic: ingest, checkpoints },
        { topic: keyed.topic, checkpoints: keyed.checkpoints },
      ].map(
        each =>
          new PartitionWorker({
            catalogue: CATALOGUE,
            partition,
            ...each,
            targets: { ingest, keyed: keyed.topic, deadLetters: undefined },
            store,
            clock,
            configuration,
            logger: silentLogger,
            workerName: `${each.topic.name}-${partition}`,
          }),
      ),
    )
    const settleAll = async () => {
      for (let round = 0; round < 8; round++) {
        for (const worker of workers) await settle(worker)
        clock.advance(300)
      }
    }
    for (const worker of workers) await worker.start()
    await settleAll()
    const sendEverywhere = async (round: number) => {
      for (const partition of [0, 1]) {
        const lines = ['a', 'b', 'c', 'd'].flatMap(app => [
          { line: `noise ${round} ${partition} ${app}`, app },
          { line: `word ${round} ${partition} ${app}`, app },
        ])
        const value = lineBatchValue([{ lines }])
        await ingest.append(partition, { value, producer: null, priority: 'ingest' })
      }
      await settleAll()
      clock.advance(1_100)
      await settleAll()
    }
    await sendEverywhere(0)
    configuration.rule(3, { exclusions: [exclusion('1111111111', { query: 'word' })] })
    await settleAll()
    await sendEverywhere(1)
    const stored = store.rows('lines').map(row => (row.line as string).split(' ').slice(0, 2).join(' '))
    const counts = new Map(['word 0', 'noise 0', 'word 1', 'noise 1'].map(text => [text, 0]))
    for (const text of stored) counts.set(text, (counts.get(text) ?? 0) + 1)
    expect(Object.fromEntries(counts)).toEqual({ 'word 0': 8, 'noise 0': 0, 'word 1': 0, 'noise 1': 8 })
    expect(store.parts.some(({ target }) => target.topic === KEYED_TOPIC && isLineTable(target.table))).toBe(
      true,
    )

    // A record with rules for a keyed partition needs a program that knows them; other records do not.
    const behaviours = new Map<boolean, Set<number>>()
    for (const partition of [0, 1]) {
      for (const { value } of await keyed.topic.read(partition, 0n, 1_000_000)) {
        if (!rekeyedType.has(schemaIdOf(value))) continue
        const { behaviour, parts } = rekeyedType.decode(value)
        const tells = parts.some(
          part => 'weir.ForwardedCut' in part && part['weir.ForwardedCut'].kind === 'line-rules',
        )
        behaviours.set(tells, (behaviours.get(tells) ?? new Set()).add(behaviour))
      }
    }
    expect(behaviours).toEqual(
      new Map([
        [true, new Set([3])],
        [false, new Set([2])],
      ]),
    )
    for (const worker of workers) worker.close()
  })
})
