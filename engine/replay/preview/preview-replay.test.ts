import { beforeEach, expect, test } from 'vitest'
import type { Cut } from '../../../schemas/log/control.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../../../test/support/line-batches.ts'
import { node, SOURCE } from '../../../test/support/world.ts'
import { type ManualClock, manualClock } from '../../clock/manual-clock.ts'
import { seededEntropy } from '../../entropy/seeded-entropy.ts'
import { encodeControl } from '../../fold/control-record.ts'
import { foldIdentity, PartitionFold } from '../../fold/partition-fold.ts'
import type { Topic } from '../../log/log.ts'
import { memoryLog } from '../../log/memory-log.ts'
import { openPartitionedTopics, type PartitionedTopics } from '../../log/partitioned-topics.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import { HOUR_MS } from '../../times/duration.ts'
import { previewOf } from './preview-replay.ts'

const limited = (threshold: number, ...more: NodeDocument[]): NodeDocument[] => [
  SOURCE,
  node('transform', 'limit', 'throttle', ['source'], { threshold, window_ms: HOUR_MS, key_field: '.app' }),
  node('sink', 'store', 'log-analysis', ['limit']),
  ...more,
]

let clock: ManualClock
let topics: PartitionedTopics
let folds: ReadonlyMap<Topic, PartitionFold>
beforeEach(async () => {
  clock = manualClock()
  topics = await openPartitionedTopics(memoryLog({ clock, entropy: seededEntropy(7) }), 1)
  const all = [topics.ingest, topics.keyed.topic]
  folds = new Map(all.map(topic => [topic, new PartitionFold(CATALOGUE, foldIdentity(topic, 0))]))
})

async function append(topic: Topic, value: Buffer): Promise<void> {
  await topic.append(0, { value, producer: null, priority: 'control' })
}

/** Folds the records of one topic and appends the results to the other. */
async function fold(topic: Topic): Promise<void> {
  const own = folds.get(topic) as PartitionFold
  for (const record of await topic.read(0, own.nextOffset, 1_000_000)) own.apply(record)
  for (const { topic: target, value } of own.mail.take().flat())
    await append(target === 'ingest' ? topics.ingest : topics.keyed.topic, value)
}

async function foldAll(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await fold(topics.ingest)
    await fold(topics.keyed.topic)
  }
}

const cut = (kind: Cut['kind'], entity: string, version: number, body: object) =>
  append(
    topics.ingest,
    encodeControl(CATALOGUE, { 'weir.Cut': { kind, entity, version, payload: JSON.stringify(body) } }),
  )

const publish = (version: number, nodes: readonly NodeDocument[], more: object = {}) =>
  cut('pipeline', 'p', version, {
    id: 'p',
    accountId: SAMPLE_ACCOUNT,
    title: 'p',
    revision: version,
    nodes,
    ...more,
  })

const spread = (version: number, isSpread: boolean) => cut('spread', SAMPLE_ACCOUNT, version, { isSpread })

const send = (text: string, account = SAMPLE_ACCOUNT) =>
  append(topics.ingest, lineBatchValue([{ lines: [{ line: text, app: 'a' }] }], account))

/** Returns the start of records appended from now on. */
function later(): number {
  clock.advance(1_000)
  return clock.wallMs()
}

function preview(nodes: readonly NodeDocument[], fromMs: number) {
  const { ingest, checkpoints, keyed } = topics
  const partitions = [
    { catalogue: CATALOGUE, topic: ingest, checkpoints, partition: 0 },
    { catalogue: CATALOGUE, ...keyed, partition: 0 },
  ]
  const document = { id: 'p', accountId: SAMPLE_ACCOUNT, title: 'p', revision: 0, nodes }
  const rest = () => Promise.resolve()
  const stretch = { partitions, account: SAMPLE_ACCOUNT, fromMs, toMs: Number.MAX_SAFE_INTEGER - 1, rest }
  const progress = { records: 0, ofRecords: 0, lines: 0 }
  return previewOf(document, stretch, { maxSamples: 3, progress })
}

test('the result names the revisions that were in force, with the times since which they were', async () => {
  await publish(1, limited(2))
  await foldAll()
  const fromMs = later()
  await send('meets the first')
  const secondMs = later()
  await publish(2, limited(3))
  await spread(1, true)
  const pausedMs = later()
  await publish(3, limited(3), { revision: 2, paused: true })
  await foldAll()
  const { inForce } = await preview(limited(9), fromMs)
  expect(inForce).toMatchObject([
    { revision: 1, isPaused: false },
    { fromMs: secondMs, revision: 2, isPaused: false },
    { fromMs: pausedMs, revision: 2, isPaused: true },
  ])
  expect(inForce[0]?.fromMs).toBeLessThanOrEqual(fromMs)
})

test('no revision is in force before the first publication', async () => {
  const fromMs = later()
  await send('met nothing')
  const before = await preview(limited(9), fromMs)
  expect([before.inForce, before.deployed.size]).toEqual([[], 0])
  const firstMs = later()
  await publish(1, limited(2))
  await foldAll()
  const { inForce } = await preview(limited(9), fromMs)
  expect(inForce).toEqual([{ fromMs: firstMs, revision: 1, isPaused: false }])
})

test.each([
  { name: 'the first', changes: [true] },
  { name: 'the second, of what is known there', changes: [true, false, true] },
  { name: 'home again', changes: [true, false] },
])('state that is under way at the beginning counts in the draft, too: $name', async ({ changes }) => {
  await publish(1, limited(2))
  await foldAll()
  const before = changes.slice(0, -1)
  for (const [index, isSpread] of before.entries()) {
    await spread(index + 1, isSpread)
    await foldAll()
  }
  for (const text of ['one', 'two']) await send(text)
  await foldAll()
  // The keyed partition has the share, and sends it on request.
  await spread(changes.length, changes.at(-1) as boolean)
  clock.advance(1_000)
  const fromMs = later()
  await foldAll()
  await send('three')
  await foldAll()
  const same = await preview(limited(2), fromMs)
  expect(same.deployed.get('limit')).toMatchObject({ eventsIn: 1, dropped: 1 })
  expect(same.draft).toEqual(same.deployed)
  const { draft, differing } = await preview(limited(3), fromMs)
  expect(draft.get('limit')).toMatchObject({ eventsIn: 1, eventsOut: 1 })
  expect(differing).toBe(1)
})

test.each([
  { name: 'away', changes: [true] },
  { name: 'home again', changes: [true, false] },
])('events that only the draft counts wait for state that is under way: $name', async ({ changes }) => {
  const plain = [SOURCE, node('sink', 'store', 'log-analysis', ['source'])]
  await publish(1, plain)
  await foldAll()
  for (const [index, isSpread] of changes.slice(0, -1).entries()) {
    await spread(index + 1, isSpread)
    await foldAll()
  }
  await spread(changes.length, changes.at(-1) as boolean)
  // Home asks for its memory before, or sends it later.
  if (changes.length > 1) await fold(topics.ingest)
  const fromMs = later()
  for (const text of ['one', 'two', 'three']) await send(text)
  clock.advance(1_000)
  await foldAll()
  await send('four')
  await foldAll()
  const { draft, underWay, differing } = await preview(limited(3), fromMs)
  expect(draft.get('limit')).toMatchObject({ eventsIn: 4, eventsOut: 3, dropped: 1 })
  expect([underWay, differing]).toEqual([0, 1])
})

test('events that are under way at the beginning continue in the revision that sent them', async () => {
  await publish(1, limited(2))
  await spread(1, true)
  await foldAll()
  await send('before')
  const fromMs = later()
  await foldAll()
  await send('after')
  await foldAll()
  const { deployed, draft, differing, samples } = await preview(
    [SOURCE, node('sink', 'all', 'log-analysis', ['source'])],
    fromMs,
  )
  expect(deployed.get('store')?.eventsOut).toBe(2)
  expect(draft.get('limit')).toMatchObject({ eventsIn: 1, eventsOut: 1 })
  expect(draft.get('store')?.eventsOut).toBe(1)
  expect(draft.get('all')?.eventsOut).toBe(1)
  expect([differing, samples.map(({ event }) => event.member('line'))]).toEqual([1, ['after']])
})

test('lines that are under way at the end are counted, but not compared', async () => {
  await publish(1, limited(1))
  await spread(1, true)
  await foldAll()
  const fromMs = later()
  await send('arrives')
  await foldAll()
  await send('is under way')
  const result = await preview(limited(2), fromMs)
  expect(result).toMatchObject({ differing: 0, underWay: 1 })
  expect(result.draft.get('source')?.eventsIn).toBe(2)
  expect(result.draft.get('limit')?.eventsIn).toBe(1)
})

test('a window that only the draft has ends when its time is over in any partition', async () => {
  await publish(1, limited(9))
  await spread(1, true)
  await foldAll()
  const fromMs = later()
  await send('in a window')
  await foldAll()
  clock.advance(5_000)
  await send('of somebody else', 'another')
  const gathering = [
    node('transform', 'gather', 'reduce', ['source'], { duration_ms: 2_000, group_by: ['.app'] }),
    node('sink', 'gathered', 'log-analysis', ['gather']),
  ]
  const { draft, differing, isOrderAssumed } = await preview(limited(9, ...gathering), fromMs)
  expect(draft.get('gather')).toMatchObject({ eventsIn: 1, eventsOut: 1, held: 0 })
  expect([differing, isOrderAssumed]).toEqual([1, true])
})
