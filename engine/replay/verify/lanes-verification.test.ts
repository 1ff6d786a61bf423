import { afterEach, beforeEach, expect, test } from 'vitest'
import { lanesCheckpointType } from '../../../schemas/log/lanes-checkpoint.ts'
import { OutboxWorld } from '../../../test/support/outbox-world.ts'
import { ACCOUNT, deletedPart, LANE_RULES, outgoingValue } from '../../../test/support/outgoing.ts'
import type { OutboxWorker } from '../../worker/outbox/outbox-worker.ts'
import { CheckpointLog } from '../checkpoint-log.ts'
import { type CountedLanes, countsOf, LanesVerification } from './lanes-verification.ts'

const FAILURE = { code: 'E_DELIVERY_FAILED', field: null, message: 'It was refused', answer: null }
const LANE = { account: ACCOUNT, pipeline: 'p', node: 'out' }

let world: OutboxWorld

beforeEach(async () => {
  world = await OutboxWorld.open()
})

afterEach(async () => {
  await world.end()
})

/** Delivers events, gives some up, drops some, and lets some wait. */
async function fill(): Promise<OutboxWorker> {
  world.answer = ({ lane, events }) => {
    if (lane.node === 'away') return { kind: 'again', status: 503, bytes: 1, failure: FAILURE }
    if (lane.node === 'refuses')
      return { kind: 'refused', status: 400, bytes: 1, failure: FAILURE, divides: false }
    return { kind: 'delivered', status: 200, bytes: events.length }
  }
  const worker = await world.start()
  await world.hand(['a', 'b', 'c', 'd', 'e', 'f'])
  await world.hand(['g', 'h', 'i'], { node: 'refuses' })
  await world.hand(['j', 'k', 'l', 'm'], { node: 'away' })
  await world.hand(['n', 'o'], { node: 'away', pipeline: 'q' })
  await world.hand(['p', 'q', 'r', 's', 't'], { node: 'away' })
  const parts = [deletedPart('q', { offset: 0n, row: 100 })]
  await world.topic.append(0, { value: outgoingValue(parts), producer: null, priority: 'control' })
  await world.until(() => [...worker.fold.lanes].reduce((sum, lane) => sum + lane.waiting, 0) === 9)
  return worker
}

async function verified(served?: CountedLanes) {
  const { topic, checkpoints } = world
  const outbox = { topic, checkpoints, rules: LANE_RULES, servedAt: () => served }
  const verification = new LanesVerification(outbox, 0, async () => {})
  return { mismatch: await verification.run(), totals: verification.totals }
}

/** Writes a checkpoint whose first lane has one more delivered event. */
async function tamper(worker: OutboxWorker): Promise<void> {
  const { nextOffset } = worker.fold
  const state = lanesCheckpointType.decode(worker.fold.checkpoint())
  const accounts = state.accounts.map(account => ({
    ...account,
    lanes: account.lanes.map((lane, index) => ({
      ...lane,
      delivered: lane.delivered + (index === 0 ? 1 : 0),
    })),
  }))
  const body = lanesCheckpointType.encode({ ...state, accounts })
  const log = new CheckpointLog(world.checkpoints, { topic: world.topic, partition: 0 })
  await log.write(100n, nextOffset, body)
  await log.write(101n, nextOffset, body)
}

test('what was handed over was delivered, given up, dropped, or waits', async () => {
  const worker = await fill()
  const served = countsOf(worker.fold)
  await world.end()
  await worker.finish()
  const { mismatch, totals } = await verified(served)
  expect(mismatch).toBeUndefined()
  expect(totals).toEqual({ lanes: 4, handedOver: 20, delivered: 6, givenUp: 3, dropped: 2, waiting: 9 })
})

test('counts of a checkpoint that differ from the log are found', async () => {
  const worker = await fill()
  await world.end()
  await tamper(worker)
  expect((await verified()).mismatch).toMatchObject({
    ...{ kind: 'deliveries', partition: 0, expected: { rows: 6 }, found: { rows: 7 } },
    where: { ...LANE, topic: 'weir.outbox', count: 'delivered', in: 'checkpoint' },
  })
})

test('counts of a running engine that differ from the log are found', async () => {
  const worker = await fill()
  const { nextOffset, lanes } = countsOf(worker.fold)
  const wrong = lanes.map(lane => ({ ...lane, counts: { ...lane.counts, givenUp: 4 } }))
  await world.end()
  expect((await verified({ nextOffset, lanes: wrong })).mismatch).toMatchObject({
    where: { count: 'given up', in: 'running engine' },
  })
})

test('waiting events are counted on the log, also where it begins at a checkpoint with wrong counts', async () => {
  const worker = await fill()
  await world.end()
  await tamper(worker)
  await world.topic.trim(0, worker.fold.neededFrom)
  const { mismatch } = await verified()
  expect(mismatch).toMatchObject({
    ...{ expected: { rows: 0 }, found: { rows: -1 } },
    where: { ...LANE, count: 'waiting', in: 'log' },
  })
})
