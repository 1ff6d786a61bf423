import { beforeEach, expect, test } from 'vitest'
import { create, replace } from '../../engine/configuration/configuration-log.ts'
import { accounts, spreads } from '../../engine/configuration/entities.ts'
import { LogError, type ProducerPosition, type Topic } from '../../engine/log/log.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { parseQuery } from '../../engine/query-language/parse-query.ts'
import { lineFilter } from '../../engine/replay/tail/line-filter.ts'
import { LiveTails } from '../../engine/replay/tail/live-tails.ts'
import type { LineVisibility } from '../../engine/replay/tail/tailed-partition.ts'
import { controlType } from '../../schemas/log/control.ts'
import { lineId } from '../../schemas/log/position.ts'
import { CHECKPOINT_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import { boundTo } from '../support/bound-topic.ts'
import { lineBatchValue, SAMPLE_ACCOUNT, type SampleLine } from '../support/line-batches.ts'
import type { MemoryRow } from '../support/memory-store.ts'
import { type TestInstallation, testInstallation } from '../support/test-installation.ts'
import { newWorld, passSecond, type World } from '../support/world.ts'

let world: World
let own: TestInstallation
let reads: { readonly partition: number; readonly from: bigint }[]
let onRead: () => void
let isSeen: LineVisibility
let tails: LiveTails

beforeEach(async () => {
  world = await newWorld()
  own = await testInstallation()
  await own.account(SAMPLE_ACCOUNT, { retentionDays: 14 })
  reads = []
  onRead = () => {}
  isSeen = () => true
  tails = new LiveTails({
    catalogue: CATALOGUE,
    ingest: watched(world.ingest),
    checkpoints: await world.log.topic(CHECKPOINT_TOPIC, world.ingest.partitions),
    configuration: own.configuration,
    clock: world.clock,
    logger: silentLogger,
    isSeen: (...line) => isSeen(...line),
  })
})

function watched(topic: Topic): Topic {
  return {
    ...boundTo(topic),
    read: async (partition, from, maxBytes) => {
      reads.push({ partition, from })
      onRead()
      return topic.read(partition, from, maxBytes)
    },
  }
}

interface Opened {
  /** The text of every line since the last call; '-n' for n that passed by, 'failed'. */
  seen(): Promise<string[]>
  ids(): Promise<string[]>
  close(): void
}

const NO_LISTS = { hosts: [], apps: [], levels: [], tags: [] }

async function open(query = '', account = SAMPLE_ACCOUNT): Promise<Opened> {
  const leave = new AbortController()
  const received: { _id?: string; _line: string; _retention?: number }[] = []
  const listener = {
    filter: lineFilter(NO_LISTS, parseQuery(query)),
    take: (record: string) => received.push(JSON.parse(record)),
    miss: (lines: number) => received.push({ _line: `-${lines}` }),
    fail: () => received.push({ _line: 'failed' }),
  }
  await tails.open(account, listener, leave.signal)
  const taken = async () => {
    await turns()
    return received.splice(0)
  }
  return {
    seen: async () => (await taken()).map(({ _line }) => _line),
    ids: async () => (await taken()).map(({ _id, _retention }) => `${_id} ${_retention}`),
    close: () => leave.abort(),
  }
}

/** The id of a stored row. */
function idOf({ t, offset, row }: MemoryRow): string {
  const place = { topic: 'weir.ingest', partition: world.partition } as const
  return lineId({ ...place, timeMs: Number(t), offset: offset as bigint, row: Number(row) })
}

/** Lets everything happen that waits for a little time, or none. */
async function turns(count = 30): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    world.clock.advance(50)
    await new Promise(resolve => setImmediate(resolve))
  }
}

async function append(
  lines: readonly SampleLine[],
  {
    partition = world.partition,
    account = SAMPLE_ACCOUNT,
    producer = null as ProducerPosition | null,
    key = '',
    knownEnd = 0n,
  } = {},
): Promise<bigint> {
  const idempotency = key === '' ? {} : { idempotency: { key, digest: Buffer.alloc(16, 1) } }
  const value = lineBatchValue([{ lines, ...idempotency }], account)
  const record = { value, producer, priority: 'ingest', knownEnd: () => knownEnd } as const
  return (await world.ingest.append(partition, record)).offset
}

/** Appends a record that puts log time ahead of the clock. */
async function tickUntil(aheadMs: number): Promise<void> {
  const body = { 'weir.Tick': { deadlineMs: world.clock.wallMs() + aheadMs } }
  const value = controlType.encode({ behaviour: 1, body })
  await world.ingest.append(world.partition, { value, producer: null, priority: 'control' })
}

test('a tail shows lines of its account that are appended after its start, and makes no record without need', async () => {
  await append([{ line: 'before' }])
  const all = await open()
  const some = await open('app:x')
  await append([
    { line: 'a', app: 'x' },
    { line: 'b', app: 'y' },
  ])
  await append([{ line: 'of others', app: 'x' }], { account: 'ffffffffff' })
  expect([await all.seen(), await some.seen()]).toEqual([['a', 'b'], ['a']])
})

test('ids equal the stored ones, even if log time is ahead of the clock, and after a checkpoint', async () => {
  const worker = await world.worker()
  await tickUntil(3_600_000)
  await append([{ line: 'old' }])
  await passSecond(world, worker)
  await worker.finish()
  const tail = await open()
  await append([{ line: 'a' }, { line: 'b' }])
  await tickUntil(7_200_000)
  await append([{ line: 'c' }])
  const shown = await tail.ids()
  await passSecond(world, await world.worker())
  const stored = world.store.rows('lines').map(row => idOf(row))
  expect(shown).toEqual(stored.slice(1).map(id => `${id} 14`))
  expect(shown).toHaveLength(3)
})

test('a record that its producer wrote twice is shown once, even if the first precedes the checkpoint', async () => {
  const worker = await world.worker()
  const producer = (sequence: number) => ({ producer: { id: 'p', sequence } })
  await append([{ line: '0' }], producer(0))
  await passSecond(world, worker)
  await worker.finish()
  const tail = await open()
  await append([{ line: '0' }], producer(0))
  await append([{ line: '1' }], producer(1))
  await append([{ line: '1' }], producer(1))
  await append([{ line: '2' }], producer(2))
  expect(await tail.seen()).toEqual(['1', '2'])
})

test('a request that arrived twice with its key is shown once, and rows equal the stored ones', async () => {
  const worker = await world.worker()
  const tail = await open()
  await append([{ line: 'a' }], { key: 'k' })
  await append([{ line: 'a' }], { key: 'k' })
  await append([{ line: 'b' }], { key: 'other' })
  const shown = await tail.ids()
  await passSecond(world, worker)
  expect(shown.map(id => id.split(' ')[0])).toEqual(world.store.rows('lines').map(row => idOf(row)))
})

test('a request that was refused at a lost place is shown once it is repeated', async () => {
  const tail = await open()
  const repeated = { producer: { id: 'p', sequence: 0 }, key: 'k' }
  await append([{ line: 'a' }], { ...repeated, knownEnd: 99n })
  expect(await tail.seen()).toEqual([])
  await append([{ line: 'a' }], repeated)
  expect(await tail.seen()).toEqual(['a'])
})

test('all tails share one reader per partition, which ends with the last of them', async () => {
  const [a, b] = [await open(), await open('', 'another')]
  const sameOrNot = partitionOfAccount('another', world.ingest.partitions) === world.partition
  expect(sameOrNot).toBe(true)
  await turns()
  expect(reads.filter(({ from }) => from === 0n)).toHaveLength(1)
  a.close()
  await append([{ line: 'x' }], { account: 'another' })
  expect([await a.seen(), await b.seen()]).toEqual([[], ['x']])
  b.close()
  await turns()
  const before = reads.length
  await append([{ line: 'for nobody' }])
  await turns()
  expect(reads).toHaveLength(before)
})

test('a tail waits for a log that is unavailable for a while, and ends if the next records are lost', async () => {
  const tail = await open()
  await tail.seen()
  let failures = 2
  onRead = () => {
    if (failures-- > 0) throw new LogError('LOG_UNAVAILABLE', 'away', { retriable: true })
  }
  await append([{ line: 'meanwhile' }])
  expect([...(await tail.seen()), ...(await tail.seen())]).toEqual(['meanwhile'])
  onRead = () => {
    throw new LogError('LOG_OFFSET_OUT_OF_RANGE', 'trimmed')
  }
  await append([{ line: 'trimmed' }])
  expect(await tail.seen()).toEqual(['failed'])
})

test('a reader that is too slow continues at the end, and reports the number of skipped lines', async () => {
  const tail = await open()
  await append([{ line: 'in time' }])
  expect(await tail.seen()).toEqual(['in time'])
  for (let record = 0; record < 6; record++)
    await append(Array.from({ length: 500 }, () => ({ line: 'x'.repeat(400) })))
  // Each read takes a second and brings one record: lines from two seconds ago are late.
  onRead = () => world.clock.advance(1_000)
  const seen = await tail.seen()
  const passed = seen.filter(line => line.startsWith('-'))
  expect(passed.length).toBeGreaterThan(0)
  const shown = seen.length - passed.length
  expect(shown + passed.reduce((sum, line) => sum - Number(line), 0)).toBe(3_000)
  onRead = () => {}
  await append([{ line: 'again' }])
  expect(await tail.seen()).toEqual(['again'])
})

test('lines that are hidden from the caller are not shown', async () => {
  const asked: string[] = []
  isSeen = (account, line) => {
    asked.push(`${account} ${line.app}`)
    return !line.text.includes('secret')
  }
  const tail = await open('app:x')
  await append([
    { line: 'a secret', app: 'x' },
    { line: 'plain', app: 'x' },
    { line: 'plain', app: 'y' },
  ])
  expect(await tail.seen()).toEqual(['plain'])
  expect(asked).toEqual([`${SAMPLE_ACCOUNT} x`, `${SAMPLE_ACCOUNT} x`])
})

test('an account that is spread while a tail lasts is seen on all partitions', async () => {
  const tail = await open()
  await append([{ line: 'at home' }])
  expect(await tail.seen()).toEqual(['at home'])
  await own.write(
    create(spreads, SAMPLE_ACCOUNT, { account: SAMPLE_ACCOUNT, enabled: true, change: 1, spans: [] }),
  )
  const elsewhere = 1 - world.partition
  await append([{ line: 'elsewhere' }], { partition: elsewhere })
  await append([{ line: 'at home, too' }])
  expect((await tail.seen()).toSorted()).toEqual(['at home, too', 'elsewhere'])
})

test('the retention of a line is the present one of the account', async () => {
  const tail = await open()
  const account = own.configuration.get(accounts, SAMPLE_ACCOUNT)
  if (account === undefined) throw new Error('no account')
  await own.write(replace(accounts, account, { ...account.value, retentionDays: 7 }))
  await append([{ line: 'a' }])
  expect(await tail.ids()).toEqual([expect.stringMatching(/ 7$/)])
})

test('a record that cannot be read is skipped', async () => {
  const tail = await open()
  const value = lineBatchValue([{ lines: [{ line: 'damaged' }] }])
  await world.ingest.append(world.partition, {
    value: value.subarray(0, value.length - 4),
    producer: null,
    priority: 'ingest',
  })
  await append([{ line: 'whole' }])
  expect(await tail.seen()).toEqual(['whole'])
})

test('lines on which a query costs too much are skipped, and reported as not filtered', async () => {
  const word = 'a'.repeat(1_500)
  const query = Array.from({ length: 5 }, (_, index) => `${word}${index}`).join(' OR ')
  const tail = await open(`${query} OR short`)
  const dear = `b${'a'.repeat(7_000)} ${[0, 1, 2, 3, 4].map(index => `b${word}${index}`).join(' ')}`
  await append([{ line: dear }, { line: 'short' }])
  expect(await tail.seen()).toEqual(['-1', 'short'])
  tail.close()
})
