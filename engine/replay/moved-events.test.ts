import { beforeEach, expect, test } from 'vitest'
import { INGEST_TOPIC, KEYED_TOPIC } from '../../schemas/log/topics.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../../test/support/line-batches.ts'
import { node, SOURCE } from '../../test/support/world.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { Event } from '../event/event.ts'
import { FoldMail } from '../fold/spread/fold-mail.ts'
import { LineBatchView } from '../lines/columns/line-batch-view.ts'
import { memoryLog } from '../log/memory-log.ts'
import { openPartitionedTopics, type PartitionedTopics } from '../log/partitioned-topics.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { CheckpointLog } from './checkpoint-log.ts'
import { MovedEvents } from './moved-events.ts'
import { PartitionReplay } from './replay.ts'

const SOURCE_PARTITION = { topic: INGEST_TOPIC, partition: 1, partitions: 2 }
const TARGET = { topic: 'keyed', partition: 0 } as const
const NODES = [
  SOURCE,
  node('transform', 'limit', 'throttle', ['source'], { threshold: 1, window_ms: 60_000 }),
  node('sink', 'store', 'log-analysis', ['limit']),
]
const clock = manualClock()

let topics: PartitionedTopics
let mail: FoldMail
beforeEach(async () => {
  topics = await openPartitionedTopics(memoryLog({ clock, entropy: seededEntropy(7) }), 2)
  mail = new FoldMail(CATALOGUE, SOURCE_PARTITION)
  const document = { id: 'p', accountId: SAMPLE_ACCOUNT, title: 'p', revision: 1, nodes: NODES }
  const cut = { kind: 'pipeline', entity: 'p', version: 1, payload: JSON.stringify(document) } as const
  mail.add(TARGET, SAMPLE_ACCOUNT, { 'weir.ForwardedCut': { offset: 3, row: 0, ...cut } }, 100)
  for (const share of [0, 1])
    mail.add(TARGET, SAMPLE_ACCOUNT, { 'weir.ShareMoved': { offset: 3, row: 1 + share, share } }, 16)
})

function send(offset: bigint, waitsAt: string): void {
  const batch = LineBatchView.decode(lineBatchValue([{ lines: [{ line: `line ${offset}` }] }]))
  const place = { pipeline: 'p', version: 1, node: waitsAt }
  mail.addEvent(TARGET, SAMPLE_ACCOUNT, place, Event.ofLine(batch, 0), { offset, row: 0 })
}

/** Makes each round durable before the next, like a worker. @param knownEnd of a worker that knows a later end */
async function deliver(knownEnd = 0n): Promise<void> {
  const known = { knownEnd: () => knownEnd, producer: null, priority: 'control' } as const
  for (const round of mail.take())
    for (const { partition, value } of round) await topics.keyed.topic.append(partition, { value, ...known })
}

/** Follows all events together. */
async function allWhereabouts(offsets: readonly bigint[], appendTimeMs = clock.wallMs()) {
  const moved = new MovedEvents({ catalogue: CATALOGUE, ...topics }, SAMPLE_ACCOUNT, () => Promise.resolve())
  const sentTo = offsets.map(offset => ({ topic: KEYED_TOPIC, partition: 0, position: { offset, row: 0 } }))
  await moved.follow(sentTo.map(each => ({ source: SOURCE_PARTITION, appendTimeMs, sentTo: each })))
  return sentTo.map(each => moved.whereaboutsOf(SOURCE_PARTITION, each))
}

const whereabouts = async (offset: bigint, appendTimeMs?: number) =>
  (await allWhereabouts([offset], appendTimeMs))[0]

/** Writes a checkpoint of the whole partition, like a worker. */
async function writeCheckpoint(): Promise<void> {
  const { topic, checkpoints } = topics.keyed
  const source = { catalogue: CATALOGUE, topic, checkpoints, partition: 0 }
  const { next } = await topic.bounds(0)
  const replay = await PartitionReplay.reaching(source, next, { account: SAMPLE_ACCOUNT })
  await replay.foldTo(next, () => Promise.resolve())
  const { checkpoint } = replay.fold.checkpointAtRest()
  await new CheckpointLog(checkpoints, { topic, partition: 0 }).write(1n, next, checkpoint as Buffer)
}

test('an event is under way until it has arrived', async () => {
  send(4n, 'limit')
  await deliver()
  send(5n, 'limit')
  expect(await whereabouts(5n)).toBe('under way')
  await deliver()
  expect(await whereabouts(5n)).toMatchObject({
    offset: 1n,
    steps: [{ node: 'limit', outcome: 'dropped', reason: { bucket: null, passed: [{ count: 1 }] } }],
  })
})

test('an event whose record was refused is under way until it is sent again', async () => {
  send(4n, 'limit')
  await deliver()
  send(5n, 'limit')
  await deliver(99n)
  expect(await whereabouts(5n)).toBe('under way')
  send(5n, 'limit')
  await deliver()
  expect(await whereabouts(5n)).toMatchObject({ offset: 2n, steps: [{ node: 'limit', outcome: 'dropped' }] })
})

test('the first of several repeats counts, whatever the clocks say', async () => {
  send(4n, 'limit')
  await deliver()
  clock.advance(10_000)
  send(4n, 'limit')
  send(5n, 'limit')
  await deliver()
  for (const timeMs of [0, clock.wallMs() - 5_000, clock.wallMs(), clock.wallMs() + 100_000]) {
    expect(await whereabouts(4n, timeMs)).toMatchObject({ offset: 0n, stored: [{ node: 'store' }] })
    expect(await whereabouts(5n, timeMs)).toMatchObject({ offset: 1n, stored: [] })
  }
})

test('an event whose node is gone is dropped at its target', async () => {
  send(4n, 'another')
  await deliver()
  expect(await whereabouts(4n)).toMatchObject({
    revision: undefined,
    steps: [
      { node: 'another', outcome: 'dropped', reason: { rule: 'the node is no longer in the pipeline' } },
    ],
    stored: [],
  })
})

test('an event whose arrival is no longer on the log is not reported as kept', async () => {
  send(4n, 'limit')
  await deliver()
  send(5n, 'limit')
  await deliver()
  await topics.keyed.topic.trim(0, 1n)
  expect(await whereabouts(4n)).toBe('not kept')
})

test('of events that are followed together, the kept ones are reported', async () => {
  send(4n, 'limit')
  await deliver()
  await writeCheckpoint()
  send(5n, 'limit')
  await deliver()
  await topics.keyed.topic.trim(0, 1n)
  expect(await allWhereabouts([4n, 5n, 6n])).toEqual([
    'not kept',
    expect.objectContaining({ offset: 1n, steps: [expect.objectContaining({ outcome: 'dropped' })] }),
    'under way',
  ])
})
