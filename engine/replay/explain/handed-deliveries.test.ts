import { afterEach, beforeEach, expect, test } from 'vitest'
import { INGEST_TOPIC } from '../../../schemas/log/topics.ts'
import { OutboxWorld } from '../../../test/support/outbox-world.ts'
import { ACCOUNT, deletedPart, LANE_RULES, outgoingValue } from '../../../test/support/outgoing.ts'
import type { OutboxWorker } from '../../worker/outbox/outbox-worker.ts'
import { HandedDeliveries, type HandedOver } from './handed-deliveries.ts'

const FAILURE = { code: 'E_DELIVERY_FAILED', field: null, message: 'It was refused', answer: null }
const DAY_MS = 86_400_000

let world: OutboxWorld
let ids: string[]

beforeEach(async () => {
  world = await OutboxWorld.open()
  ids = []
  world.answer = ({ id, lane, events }) => {
    ids.push(id)
    if (lane.node === 'away') return { kind: 'again', status: 503, bytes: 1, failure: FAILURE }
    if (lane.node === 'out') return { kind: 'delivered', status: 200, bytes: 1 }
    const outcomes = events.map((_, index) => (index === 1 ? FAILURE : ('delivered' as const)))
    return { kind: 'each', status: 400, bytes: 1, outcomes }
  }
})

afterEach(async () => {
  await world.end()
})

/** The event at a position, as it was handed over at the present time. */
function handed(row: number, further: Partial<HandedOver> = {}): HandedOver {
  const source = { topic: INGEST_TOPIC, partition: 0 }
  const name = { account: ACCOUNT, pipeline: 'p', node: 'out' }
  return { source, ...name, position: { offset: 0n, row }, appendTimeMs: world.clock.wallMs(), ...further }
}

async function deliveriesOf(...events: readonly HandedOver[]) {
  const { topic, checkpoints } = world
  const deliveries = new HandedDeliveries({ topic, checkpoints, rules: LANE_RULES }, async () => {})
  await deliveries.follow(events)
  return events.map(event => deliveries.of(event))
}

const areAnswered = (worker: OutboxWorker, events: number) => () =>
  [...worker.fold.lanes].reduce((sum, { counts }) => sum + counts.delivered + counts.givenUp, 0) === events

test('an event is delivered, or given up for a reason, with its batch and the time of the report', async () => {
  const [delivered, refused, good] = [handed(1), handed(4, { node: 'judges' }), handed(5, { node: 'judges' })]
  const worker = await world.start()
  await world.hand(['a', 'b', 'c'])
  await world.until(areAnswered(worker, 3))
  await world.hand(['d', 'e', 'f'], { node: 'judges' })
  await world.until(areAnswered(worker, 6))
  const [first, second] = ids as [string, string]
  const atMs = expect.any(Number)
  const { answer: _, ...reason } = FAILURE
  expect(await deliveriesOf(delivered, refused, good)).toEqual([
    { state: 'delivered', batch: { id: first, number: 1 }, attempts: 1, atMs, failure: undefined },
    {
      ...{ state: 'given up', batch: { id: second, number: 1 }, attempts: 1, atMs },
      failure: { ...reason, status: 400 },
    },
    { state: 'delivered', batch: { id: second, number: 1 }, attempts: 1, atMs, failure: undefined },
  ])
})

test('an event waits in a batch, in none yet, or has not arrived', async () => {
  const [inBatch, behind, notThere] = [handed(2, { node: 'away' }), handed(3, { node: 'away' }), handed(6)]
  await world.start()
  await world.hand(['a', 'b', 'c'], { node: 'away' })
  await world.hand(['d'], { node: 'away' })
  await world.until(() => ids.length > 0)
  expect(await deliveriesOf(inBatch, behind, notThere)).toEqual([
    { state: 'waiting', batch: { id: ids[0], number: 1 } },
    { state: 'waiting', batch: undefined },
    { state: 'waiting', batch: undefined },
  ])
})

test('an event is dropped with its pipeline', async () => {
  const event = handed(0, { node: 'away' })
  await world.start()
  await world.hand(['a', 'b', 'c'], { node: 'away' })
  await world.until(() => ids.length > 0)
  const parts = [deletedPart('p', { offset: 0n, row: 100 })]
  await world.topic.append(0, { value: outgoingValue(parts), producer: null, priority: 'control' })
  expect(await deliveriesOf(event)).toEqual([{ state: 'dropped' }])
})

test('checkpoints of kept records are enough, and without them the delivery is not known', async () => {
  const worker = await world.start()
  const hour = async () => {
    await world.hand(['a', 'b', 'c'])
    const handedOver = () => [...worker.fold.lanes][0]?.counts.handedOver ?? 0
    await world.until(() => handedOver() > 0 && areAnswered(worker, handedOver())())
    world.clock.advance(DAY_MS / 2)
  }
  await hour()
  await hour()
  const event = handed(7)
  await hour()
  await hour()
  await hour()
  await hour()
  const first = (await world.topic.offsetAtTime(0, event.appendTimeMs)) as bigint
  await world.topic.trim(0, first - 1n)
  await worker.trimCheckpoints(first - 1n)
  expect(await deliveriesOf(event)).toMatchObject([{ state: 'delivered', batch: { number: 3 } }])
  await worker.trimCheckpoints(undefined)
  expect(await deliveriesOf(event)).toEqual([{ state: 'not kept' }])
})
