import { afterEach, beforeEach, expect, test } from 'vitest'
import { OutboxWorld } from '../../../test/support/outbox-world.ts'
import { ACCOUNT, LANE_RULES, textOf } from '../../../test/support/outgoing.ts'
import type { RemoteAnswer } from '../../delivery/sending/remote.ts'
import { seededEntropy } from '../../entropy/seeded-entropy.ts'
import type { LogSpace } from '../../log/log.ts'
import { silentLogger } from '../../logger.ts'
import { OutboxWorkers } from './outbox-workers.ts'
import { PresentDeliveries } from './present-deliveries.ts'

const FAILURE = { code: 'E_DELIVERY_FAILED', field: null, message: 'It is away', answer: null }
const MEMORY_BYTES = 20_000
const NODE = { account: ACCOUNT, pipeline: 'p', node: 'out' }

let world: OutboxWorld
let workers: OutboxWorkers
let leave: AbortController
let ended: Promise<void>
let space: LogSpace
let maxBytes: number | undefined
let changePipeline: (pipeline: string) => void

beforeEach(async () => {
  world = await OutboxWorld.open()
  leave = new AbortController()
  maxBytes = undefined
  space = { usedBytes: 0, limitBytes: 1_000, reservedBytes: 200, takesIngest: true, takesControl: true }
  const { topic, checkpoints, deadLetters, clock, store } = world
  workers = new OutboxWorkers({
    ...{
      topic,
      checkpoints,
      deadLetters,
      store,
      clock,
      rules: LANE_RULES,
      logger: silentLogger,
      workerName: 'w',
    },
    entropy: seededEntropy(1),
    remote: { send: async (shipment, signal) => world.answer(shipment, signal) },
    settingsOf: () => ({ giveUpAfterMs: null, keepsLetters: false }),
    space: () => space,
    memoryBytes: MEMORY_BYTES,
    get maxBytes() {
      return maxBytes
    },
    watchPipelines: listener => {
      changePipeline = listener
    },
  })
  ended = workers.supervise(0, leave.signal)
})

afterEach(() => leaveAll())

async function leaveAll(): Promise<void> {
  leave.abort('the end')
  await world.clock.advanceUntil(ended)
}

const present = (outbox?: OutboxWorkers) =>
  new PresentDeliveries({ ...world, rules: LANE_RULES, outbox }).lanesOf(NODE, false)
const presentAt = async (node: string) =>
  (
    await new PresentDeliveries({ ...world, rules: LANE_RULES, outbox: workers }).lanesOf(
      { ...NODE, node },
      false,
    )
  )[0]
const deliveredCount = async () => (await present(workers))[0]?.delivered

test('a partition has no worker, and no owner record, before something was handed over', async () => {
  await world.until(() => true)
  expect([workers.workers.size, (await world.records()).length]).toEqual([0, 0])
  await world.hand(['a', 'b', 'c'])
  await world.until(async () => (await deliveredCount()) === 3)
  expect(workers.workers.size).toBe(1)
})

test('attempts are observed, and the state of a lane is known where it is sent', async () => {
  const statuses: (number | null)[] = []
  workers.observeAttempts(({ answer }) => statuses.push(answer.status))
  world.answer = () => ({ kind: 'again', status: 503, bytes: 1, failure: FAILURE })
  await world.hand(['a', 'b', 'c'])
  await world.until(() => statuses.length > 1)
  const [lane] = await present(workers)
  expect(lane).toMatchObject({ partition: 0, handedOver: 3, waiting: 3, sending: { state: 'retrying' } })
  expect(lane?.oldestMs).toBeLessThanOrEqual(world.clock.wallMs())
  world.answer = () => ({ kind: 'delivered', status: 200, bytes: 1 })
  await world.until(async () => (await deliveredCount()) === 3)
  expect(statuses.slice(0, 2)).toEqual([503, 503])
  expect(statuses.at(-1)).toBe(200)
  expect((await present(workers))[0]).toMatchObject({ waiting: 0, oldestMs: null })
})

test('a remote that refuses the credentials is asked again at once when the pipeline changes', async () => {
  let refused = 0
  world.answer = () => {
    refused++
    return { kind: 'rest', status: 401, bytes: 1, failure: FAILURE }
  }
  await world.hand(['a', 'b', 'c'])
  await world.until(() => refused === 1)
  world.answer = () => ({ kind: 'delivered', status: 200, bytes: 1 })
  const beganMs = world.clock.monotonicMs()
  changePipeline('p')
  await world.until(async () => (await deliveredCount()) === 3)
  expect(world.clock.monotonicMs() - beganMs).toBeLessThan(30_000)
})

test('all lanes together hold a bounded number of bytes, of which remotes that hang leave some for others', async () => {
  const lines = Array.from({ length: 3 }, () => 'x'.repeat(300))
  let heldBytes = 0
  let mostBytes = 0
  world.answer = async ({ lane, events }, signal) => {
    const bytes = events.reduce((sum, { event }) => sum + textOf(event).length, 0)
    heldBytes += bytes
    mostBytes = Math.max(mostBytes, heldBytes)
    if (lane.node !== 'out') await world.clock.sleep(60_000, signal)
    heldBytes -= bytes
    return lane.node === 'out'
      ? { kind: 'delivered', status: 200, bytes }
      : { kind: 'again', status: null, bytes, failure: FAILURE }
  }
  await world.hand(lines)
  await world.until(async () => (await deliveredCount()) === 3)
  for (let node = 0; node < 40; node++) await world.hand(lines, { node: `hangs-${node}` })
  await world.until(() => heldBytes > MEMORY_BYTES / 4)
  const beganMs = world.clock.monotonicMs()
  for (let batch = 0; batch < 10; batch++) await world.hand(lines)
  await world.until(async () => (await deliveredCount()) === 33)
  expect(world.clock.monotonicMs() - beganMs).toBeLessThan(30_000)
  await world.until(async () => (await presentAt('hangs-39'))?.sending?.state === 'retrying')
  expect(mostBytes).toBeLessThanOrEqual(MEMORY_BYTES)
})

test('when the log is full, events for a remote that is away make room, and those of others do not', async () => {
  world.answer = ({ lane }) =>
    lane.node === 'away'
      ? { kind: 'again', status: null, bytes: 1, failure: FAILURE }
      : { kind: 'delivered', status: 200, bytes: 1 }
  await world.hand(['x'.repeat(150), 'y', 'z', 'a'], { node: 'away' })
  await world.until(async () => (await presentAt('away'))?.sending?.state === 'retrying')
  space = { ...space, takesIngest: false }
  await world.hand(['a', 'b', 'c'])
  await world.until(async () => (await presentAt('away'))?.givenUp === 4)
  await world.until(async () => (await deliveredCount()) === 3)
  space = { ...space, takesIngest: true }
})

test('when the log is full, events for a remote that is slow or asks for a long pause make room', async () => {
  const beganMs = world.clock.monotonicMs()
  world.answer = async ({ lane }, signal) => {
    if (lane.node === 'paused')
      return { kind: 'again', status: 429, bytes: 1, retryAfterMs: 600_000, failure: FAILURE }
    if (lane.node === 'slow') await world.clock.sleep(8_000, signal)
    return { kind: 'delivered', status: 200, bytes: 1 }
  }
  for (const node of ['paused', 'slow'])
    for (let batch = 0; batch < 10; batch++) await world.hand(['x'.repeat(150), 'y', 'z'], { node })
  await world.until(async () => (await presentAt('paused'))?.sending?.state === 'retrying')
  space = { ...space, takesIngest: false }
  await world.until(async () => (await presentAt('paused'))?.waiting === 0)
  expect(world.clock.monotonicMs() - beganMs).toBeLessThan(60_000)
  await world.until(async () => (await presentAt('slow'))?.waiting === 0)
  expect(await presentAt('paused')).toMatchObject({ handedOver: 30, givenUp: 30 })
  const { delivered = 0, givenUp = 0 } = (await presentAt('slow')) ?? {}
  expect([delivered > 9, givenUp > 9, delivered + givenUp]).toEqual([true, true, 30])
  space = { ...space, takesIngest: true }
})

test('where the log has no limit of its own, what a partition keeps for a remote that is away is bounded', async () => {
  maxBytes = 5_000
  world.answer = ({ lane }) =>
    lane.node === 'away'
      ? { kind: 'again', status: null, bytes: 1, failure: FAILURE }
      : { kind: 'delivered', status: 200, bytes: 1 }
  for (let batch = 0; batch < 20; batch++)
    await world.hand(['x'.repeat(150), 'y', 'z'], { node: batch % 2 === 0 ? 'away' : 'out' })
  await world.until(async () => (await deliveredCount()) === 30)
  const pinnedBytes = () => {
    const worker = workers.workers.get(0)
    const from = worker?.fold.lane(ACCOUNT, 'p', 'away')?.cursor?.neededFrom
    return from === undefined ? Number.NaN : (worker?.bytesFrom(from) ?? Number.NaN)
  }
  await world.until(() => pinnedBytes() <= 5_000)
  const { givenUp = 0, waiting = 0 } = (await presentAt('away')) ?? {}
  expect([givenUp > 3, waiting > 3, givenUp + waiting]).toEqual([true, true, 30])
  for (let round = 0; round < 2_000; round++) await world.until(() => true)
  expect(await presentAt('away')).toMatchObject({ givenUp, waiting })
})

test('a graceful end waits for the answer to a request and appends its report, and another process reads the counts from the log', async () => {
  await world.hand(['a', 'b', 'c'])
  const answered = Promise.withResolvers<RemoteAnswer>()
  let isAsked = false
  world.answer = () => {
    isAsked = true
    return answered.promise
  }
  await world.until(() => isAsked)
  leave.abort('the end')
  await new Promise(resolve => setImmediate(resolve))
  answered.resolve({ kind: 'delivered', status: 200, bytes: 1 })
  await leaveAll()
  expect(workers.workers.size).toBe(0)
  expect(await present()).toMatchObject([{ handedOver: 3, delivered: 3, waiting: 0, sending: undefined }])
})

test('a node that handed nothing over has no lane', async () => {
  await world.hand(['a'])
  const deliveries = new PresentDeliveries({ ...world, rules: LANE_RULES })
  expect(await deliveries.lanesOf({ ...NODE, node: 'other' }, true)).toEqual([])
})
