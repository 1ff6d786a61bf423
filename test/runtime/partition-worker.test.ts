import { afterEach, expect, test, vi } from 'vitest'
import { LogError } from '../../engine/log/log.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { controlType } from '../../schemas/log/control.ts'
import { isLineTable } from '../../schemas/log/tables.ts'
import { KEYED_TOPIC } from '../../schemas/log/topics.ts'
import { SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import {
  expectConservation,
  newWorld,
  node,
  passSecond,
  SOURCE,
  settle,
  type World,
} from '../support/world.ts'

afterEach(expectConservation)

const lines = (...texts: string[]) => texts.map(line => ({ line, app: 'web' }))

async function appendedRecords(world: World): Promise<number> {
  const { first, next } = await world.ingest.bounds(world.partition)
  return Number(next - first)
}

test('lines are stored once their slice has passed, and not earlier', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  await world.append(lines('a', 'b'))
  await settle(worker)
  expect(world.storedLines()).toEqual([])
  await passSecond(world, worker)
  expect(world.storedLines()).toEqual(['a', 'b'])
})

test('one tick is outstanding for a deadline, and an idle partition gets none', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  await settle(worker)
  const before = await appendedRecords(world)
  world.clock.advance(3_000)
  await settle(worker)
  expect(await appendedRecords(world)).toBe(before)
  await world.append(lines('a'))
  await passSecond(world, worker)
  await settle(worker)
  expect(await appendedRecords(world)).toBe(before + 2)
})

test('a worker that is killed before the checkpoint duplicates nothing and loses nothing', async () => {
  const world = await newWorld()
  let worker = await world.worker()
  const expected: string[] = []
  for (let round = 0; round < 20; round++) {
    const texts = [`${round} a`, `${round} b`]
    expected.push(...texts)
    await world.append(lines(...texts))
    for (let step = 0; step < round % 4; step++) await worker.step()
    if (round % 3 === 0) world.clock.advance(400)
    if (round % 5 === 4) worker = await world.worker()
  }
  await passSecond(world, worker)
  expect(world.storedLines()).toEqual(expected)
})

test('an insert whose answer was lost is settled: stored once, whether it took effect or not', async () => {
  for (const fate of ['stored, answer lost', 'lost'] as const) {
    const world = await newWorld()
    const worker = await world.worker()
    let inserts = 0
    world.store.decideInserts(() => (inserts++ === 0 ? fate : 'stored'))
    await world.append(lines('a', 'b'))
    const stored = passSecond(world, worker)
    await world.clock.advanceUntil(stored)
    expect(world.storedLines()).toEqual(['a', 'b'])
  }
})

test('a paused worker that continues after its replacement stores nothing and gets an error', async () => {
  const world = await newWorld()
  const zombie = await world.worker()
  await world.append(lines('a'))
  await settle(zombie)
  world.clock.advance(1_100)
  await zombie.step() // appends the tick
  await zombie.step() // reads it: a batch waits to be stored
  const heir = await world.worker()
  await expect(settle(zombie)).rejects.toThrow(/newer worker|was taken by/)
  expect(world.storedLines()).toEqual([])
  await passSecond(world, heir)
  expect(world.storedLines()).toEqual(['a'])
})

test('a repeated record of a producer changes only the time', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  const { lineBatchValue } = await import('../support/line-batches.ts')
  const value = lineBatchValue([{ lines: lines('once') }])
  for (const sequence of [0, 0, 1]) {
    await world.ingest.append(world.partition, { value, producer: { id: 'p', sequence }, priority: 'ingest' })
  }
  await passSecond(world, worker)
  expect(world.storedLines()).toEqual(['once', 'once'])
})

test('a repeated request with the same idempotency key is stored once, also over a restart', async () => {
  const world = await newWorld()
  const request = { idempotency: { key: 'stream/1', digest: Buffer.from('0123456789abcdef') } }
  let worker = await world.worker()
  await world.append(lines('a'), request)
  await passSecond(world, worker)
  await worker.finish()
  worker = await world.worker()
  await world.append(lines('a'), request)
  await passSecond(world, worker)
  expect(world.storedLines()).toEqual(['a'])
})

test('a throttle passes exactly its limit per window of log time, despite kills and checkpoints', async () => {
  const world = await newWorld()
  world.configuration.deploy([
    SOURCE,
    node('transform', 'limit', 'throttle', ['source'], {
      threshold: 2,
      window_ms: 60_000,
      key_field: '.app',
    }),
    node('sink', 'store', 'mezmo', ['limit']),
  ])
  let worker = await world.worker()
  await settle(worker)
  for (let round = 0; round < 10; round++) {
    await world.append([
      { line: `${round}`, app: 'a' },
      { line: `${round}`, app: 'b' },
    ])
    await passSecond(world, worker)
    const turn = round % 3
    if (turn === 1) worker = await world.worker()
    if (turn === 2) await worker.finish()
  }
  expect(world.storedLines()).toEqual(['0', '0', '1', '1'])
  world.clock.advance(60_000)
  await world.append([{ line: 'later', app: 'a' }])
  await passSecond(world, worker)
  expect(world.storedLines().at(-1)).toBe('later')
})

test('a revision takes effect where its cut is read, and a late older one changes nothing', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  const dropping = (word: string) => [
    SOURCE,
    node('transform', 'filter', 'filter', ['source'], {
      action: 'drop',
      conditional: { expressions: [{ field: '.line', str_operator: 'contains', value: word }] },
    }),
    node('sink', 'store', 'mezmo', ['filter']),
  ]
  await world.append(lines('one', 'two'))
  await settle(worker)
  world.configuration.deploy(dropping('one'), 5)
  await settle(worker)
  await world.append(lines('one', 'two'))
  await settle(worker)
  const late = { kind: 'pipeline', entity: 'pipeline-1', version: 4, payload: '' } as const
  const value = controlType.encode({ behaviour: BEHAVIOUR, body: { 'weir.Cut': late } })
  await world.ingest.append(world.partition, { value, producer: null, priority: 'control' })
  await world.append(lines('one', 'two'))
  await passSecond(world, worker)
  expect(world.storedLines()).toEqual(['one', 'two', 'two', 'two'])
})

test("a record far in the future of the worker's clock stops it with a sentence before it is applied", async () => {
  const world = await newWorld()
  const worker = await world.worker()
  world.clock.setWall(world.clock.wallMs() + 3_700_000)
  await world.append(lines('a'))
  world.clock.setWall(world.clock.wallMs() - 3_700_000)
  await expect(settle(worker)).rejects.toThrow(/minutes in the future of this machine's clock/)
})

test('a batch ends at the UTC day, and each of its rows belongs to one day', async () => {
  const world = await newWorld()
  const midnight = Math.ceil(world.clock.wallMs() / DAY_MS) * DAY_MS
  world.clock.advance(midnight - world.clock.wallMs() - 200)
  const worker = await world.worker()
  await world.append(lines('before'))
  world.clock.advance(300)
  await world.append(lines('after'))
  await passSecond(world, worker)
  const parts = world.store.parts.filter(part => isLineTable(part.target.table))
  expect(parts.map(part => part.rows.map(row => row.line))).toEqual([['before'], ['after']])
})

test('a graceful stop stores open batches and leaves nothing to repeat', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  await world.append(lines('a'))
  await worker.finish()
  expect(world.storedLines()).toEqual(['a'])
  const heir = await world.worker()
  expect(heir.status.nextOffset).toBe(worker.status.nextOffset)
})

test('a stop while a batch is being inserted does not store it again', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  const stop = new AbortController()
  const insert = world.store.insert.bind(world.store)
  const inserting = new Promise<void>(resolve => {
    world.store.insert = async batch => {
      resolve()
      await new Promise(done => setImmediate(done))
      await insert(batch)
    }
  })
  await world.append(lines('a'))
  const running = worker.run(stop.signal)
  const pumped = world.clock.advanceUntil(inserting)
  await pumped
  stop.abort()
  await running
  await worker.finish()
  expect(world.storedLines()).toEqual(['a'])
})

test('two folds of one log give the same parts, byte for byte, wherever the worker was killed', async () => {
  const runs: string[] = []
  for (const killEvery of [1_000, 3]) {
    const world = await newWorld()
    let worker = await world.worker()
    for (let round = 0; round < 9; round++) {
      await world.append([{ line: `{"n":${round}}`, app: `app-${round % 2}` }])
      world.clock.advance(350)
      await settle(worker)
      if (round % killEvery === killEvery - 1) worker = await world.worker()
    }
    await passSecond(world, worker)
    runs.push(JSON.stringify(world.store.rows('lines').map(({ offset: _offset, t: _t, ...row }) => row)))
  }
  expect(runs[0]).toBe(runs[1])
})

test('counts and errors of a minute are stored once, add up, and name the errors, despite kills', async () => {
  const world = await newWorld()
  world.configuration.deploy([
    SOURCE,
    node('transform', 'filter', 'filter', ['source'], {
      action: 'drop',
      conditional: { expressions: [{ field: '.level', str_operator: 'greater', value: 5 }] },
    }),
    node('sink', 'store', 'mezmo', ['filter']),
  ])
  let worker = await world.worker()
  await settle(worker)
  for (let round = 0; round < 12; round++) {
    await world.append([{ line: 'a', level: 'high' }, { line: 'b' }])
    await passSecond(world, worker)
    world.clock.advance(15_000)
    if (round % 4 === 3) worker = await world.worker()
  }
  for (let minute = 0; minute < 2; minute++) {
    await settle(worker)
    world.clock.advance(61_000)
  }
  await settle(worker)
  const metrics = world.store.rows('node_metrics')
  const sum = (nodeId: string, column: string) =>
    metrics.filter(row => row.node === nodeId).reduce((total, row) => total + Number(row[column]), 0)
  for (const nodeId of ['source', 'filter', 'store']) {
    expect([nodeId, sum(nodeId, 'events_in'), sum(nodeId, 'events_out')]).toEqual([nodeId, 24, 24])
  }
  expect(new Set(metrics.map(row => Number(row.t) % 60_000))).toEqual(new Set([0]))
  const errors = world.store.rows('pipeline_errors')
  const counts = new Map<string, number>()
  for (const row of errors)
    counts.set(row.code as string, (counts.get(row.code as string) ?? 0) + Number(row.count))
  expect(counts).toEqual(
    new Map([
      ['E_COMPARE_COERCION_FAILED', 12],
      ['E_NOT_FOUND', 12],
    ]),
  )
  expect(errors[0]).toMatchObject({
    pipeline: 'pipeline-1',
    node: 'filter',
    node_kind: 'transform',
    field: '.level',
  })
})

test('a revision keeps the counts of the one before it', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  const nodes = [SOURCE, node('sink', 'store', 'mezmo', ['source'])]
  for (let revision = 1; revision <= 3; revision++) {
    world.configuration.deploy(nodes, revision)
    await settle(worker)
    await world.append(lines('a'))
    await settle(worker)
  }
  await passSecond(world, worker)
  world.clock.advance(60_000)
  await settle(worker)
  const stored = world.store.rows('node_metrics').filter(row => row.node === 'store')
  expect(stored.reduce((total, row) => total + Number(row.events_in), 0)).toBe(3)
})

test('a day is not closed while its last batch waits for the store', async () => {
  const world = await newWorld()
  const midnight = Math.ceil(world.clock.wallMs() / DAY_MS) * DAY_MS
  world.clock.advance(midnight - world.clock.wallMs() - 2_000)
  const worker = await world.worker()
  await settle(worker)
  world.store.decideInserts(() => 'refused')
  await world.append(lines('last of the day'))
  world.clock.advance(2_500)
  await world.append(lines('next day'))
  world.clock.advance(2_000)
  await world.append(lines('next day, too'))
  const stop = new AbortController()
  const running = worker.run(stop.signal)
  for (let round = 0; round < 20; round++) {
    await new Promise(resolve => setImmediate(resolve))
    world.clock.advance(100)
  }
  expect(world.storedLines()).toEqual([])
  expect(worker.settledMs).toBeLessThan(midnight)
  world.store.decideInserts(() => 'stored')
  stop.abort()
  await world.clock.advanceUntil(running)
  await world.clock.advanceUntil(worker.finish())
  expect(world.storedLines()).toEqual(['last of the day', 'next day', 'next day, too'])
  expect(worker.settledMs).toBeGreaterThanOrEqual(midnight)
})

test('a start appends its owner record, and nothing that the log already contains', async () => {
  const world = await newWorld()
  world.configuration.deploy([SOURCE, node('sink', 'store', 'mezmo', ['source'])])
  await settle(await world.worker())
  const before = await appendedRecords(world)
  for (let start = 1; start <= 3; start++) {
    await settle(await world.worker())
    expect(await appendedRecords(world)).toBe(before + start)
  }
})

test('a record that cannot be read stops the worker with a sentence that names its place', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  const value = Buffer.from([0, 0, 0, 0, 1, 255])
  await world.ingest.append(world.partition, { value, producer: null, priority: 'ingest' })
  await expect(settle(worker)).rejects.toThrow(/record 1 of weir\.ingest\/\d cannot be read/)
})

test('a change between one partition and many is reported once its parts are sent, also after a restart', async () => {
  const world = await newWorld()
  const keyed = await world.log.topic(KEYED_TOPIC, world.ingest.partitions)
  const worker = await world.worker()
  await settle(worker)
  world.configuration.set({
    kind: 'spread',
    entity: SAMPLE_ACCOUNT,
    version: 1,
    payload: '{"isSpread":true}',
  })
  const away = vi
    .spyOn(keyed, 'append')
    .mockRejectedValue(new LogError('LOG_UNAVAILABLE', 'x', { retriable: true }))
  const settled = settle(worker)
  await expect.poll(() => away.mock.calls.length).toBeGreaterThan(0)
  expect(worker.cutVersion('spread', SAMPLE_ACCOUNT)).toBe(1)
  expect([...worker.spreads]).toEqual([])
  away.mockRestore()
  await world.clock.advanceUntil(settled)
  expect([...worker.spreads]).toEqual([[SAMPLE_ACCOUNT, 1]])
  await passSecond(world, worker)
  await worker.finish()
  expect([...(await world.worker()).spreads]).toEqual([[SAMPLE_ACCOUNT, 1]])
})
