import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { deadLettersType } from '../../../schemas/log/dead-letters.ts'
import { deliveryReportsType } from '../../../schemas/log/delivery-reports.ts'
import { lanesCheckpointType } from '../../../schemas/log/lanes-checkpoint.ts'
import { schemaIdOf } from '../../../schemas/log/wire-format.ts'
import { OutboxWorld } from '../../../test/support/outbox-world.ts'
import { ACCOUNT } from '../../../test/support/outgoing.ts'
import { RETRYING } from '../../delivery/fold/lane.ts'
import type { RemoteFailure } from '../../delivery/sending/remote.ts'
import { lettersIn } from '../../fold/dead-letters/dead-letter.ts'
import type { Topic } from '../../log/log.ts'
import { CheckpointLog } from '../../replay/checkpoint-log.ts'
import type { OutboxWorker } from './outbox-worker.ts'

const FAILURE: RemoteFailure = {
  code: 'E_DELIVERY_FAILED',
  field: null,
  message: 'It was refused.',
  answer: null,
}

let world: OutboxWorld

beforeEach(async () => {
  world = await OutboxWorld.open()
})

afterEach(async () => {
  await world.end()
})

const laneOf = (worker: OutboxWorker, node = 'out') => worker.fold.lane(ACCOUNT, 'p', node)
const isDone = (worker: OutboxWorker) => () =>
  [...worker.fold.lanes].some(({ counts }) => counts.handedOver > 0) &&
  [...worker.fold.lanes].every(({ waiting }) => waiting === 0)

test('events are sent in batches, in order, and a tick ends the last one', async () => {
  await world.hand(['a', 'b', 'c', 'd'])
  const worker = await world.start()
  await world.until(isDone(worker))
  expect(world.sent).toEqual(['a b c', 'd'])
  expect(laneOf(worker)?.counts).toMatchObject({ handedOver: 4, delivered: 4 })
})

test('a remote that is away delays no other', async () => {
  world.answer = ({ lane }) =>
    lane.node === 'away'
      ? { kind: 'again', status: null, bytes: 0, failure: FAILURE }
      : { kind: 'delivered', status: 200, bytes: 1 }
  await world.hand(['x', 'y', 'z'], { node: 'away' })
  await world.hand(['a', 'b', 'c'])
  const worker = await world.start()
  await world.until(() => laneOf(worker)?.waiting === 0)
  expect(laneOf(worker, 'away')?.waiting).toBe(3)
  world.answer = () => ({ kind: 'delivered', status: 200, bytes: 1 })
  await world.until(isDone(worker))
})

test('events that a remote refuses become dead letters', async () => {
  world.answer = () => ({ kind: 'refused', status: 400, bytes: 1, failure: FAILURE, divides: false })
  await world.hand(['a', 'b', 'c'])
  const worker = await world.start()
  await world.until(isDone(worker))
  expect(laneOf(worker)?.counts.givenUp).toBe(3)
  const [record] = await world.records(world.deadLetters)
  const parts = deadLettersType.decode(record?.value as Buffer).parts
  const letters = parts.flatMap(part =>
    'weir.FailedEvents' in part ? lettersIn(part['weir.FailedEvents']) : [],
  )
  expect(letters.map(({ topic, row, code }) => `${topic} ${row} ${code}`)).toEqual([
    'weir.outbox 0 E_DELIVERY_FAILED',
    'weir.outbox 1 E_DELIVERY_FAILED',
    'weir.outbox 2 E_DELIVERY_FAILED',
  ])
})

test('a batch of unknown outcome is sent again by the next worker, which sends nothing that has a report', async () => {
  await world.hand(['a', 'b', 'c', 'd', 'e', 'f'])
  world.answer = (_, signal) =>
    world.sent.length === 1
      ? { kind: 'delivered', status: 200, bytes: 1 }
      : new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const worker = await world.start()
  await world.until(() => world.sent.length === 2 && laneOf(worker)?.waiting === 3)
  await world.end()
  world.answer = () => ({ kind: 'delivered', status: 200, bytes: 1 })
  const next = await world.start()
  await world.until(isDone(next))
  expect(world.sent).toEqual(['a b c', 'd e f', 'd e f'])
})

test('without acknowledgement, events count as delivered when they are sent, and the next batch waits', async () => {
  world.isAcknowledged = false
  await world.hand(['a', 'b', 'c', 'd', 'e', 'f'])
  world.answer = () => ({ kind: 'again', status: 503, bytes: 0, failure: FAILURE })
  const worker = await world.start()
  await world.until(() => laneOf(worker)?.counts.delivered === 3 && world.sent.length > 3)
  expect(new Set(world.sent)).toEqual(new Set(['a b c']))
  world.answer = () => ({ kind: 'delivered', status: 200, bytes: 1 })
  await world.until(isDone(worker))
  expect(world.sent.slice(-2)).toEqual(['a b c', 'd e f'])
})

test('without acknowledgement, a batch is not sent again after a restart', async () => {
  world.isAcknowledged = false
  await world.hand(['a', 'b', 'c', 'd', 'e', 'f'])
  world.answer = () => ({ kind: 'again', status: 503, bytes: 0, failure: FAILURE })
  const worker = await world.start()
  await world.until(() => laneOf(worker)?.counts.delivered === 3)
  await world.end()
  world.sent.length = 0
  world.answer = () => ({ kind: 'delivered', status: 200, bytes: 1 })
  await world.until(isDone(await world.start()))
  expect(world.sent).toEqual(['d e f'])
})

test('without acknowledgement, a refusal is an error alone', async () => {
  world.isAcknowledged = false
  world.answer = () => ({ kind: 'refused', status: 400, bytes: 1, failure: FAILURE, divides: false })
  await world.hand(['a', 'b', 'c'])
  const worker = await world.start()
  const errors = () => world.store.rows('pipeline_errors')
  await world.until(() => errors().length > 0)
  expect(errors()).toMatchObject([{ code: 'E_DELIVERY_FAILED', message: 'It was refused.', count: 3n }])
  expect(laneOf(worker)?.counts).toEqual({ handedOver: 3, delivered: 3, givenUp: 0, dropped: 0 })
  expect(await world.records(world.deadLetters)).toEqual([])
})

describe('a trouble is told once', () => {
  const rest = () => {
    world.answer = () => ({ kind: 'rest', status: 401, bytes: 1, failure: FAILURE })
  }
  const told = async () =>
    (await world.records())
      .filter(({ value }) => schemaIdOf(value) === deliveryReportsType.id)
      .flatMap(({ value }) => deliveryReportsType.decode(value).reports)
      .filter(({ failures }) => failures.some(({ code }) => code === RETRYING)).length
  /** Until the next worker has tried to send several times. */
  const untilTried = async () => {
    const before = world.sent.length
    await world.until(() => world.sent.length > before + 2)
  }

  test('when another worker takes the partition', async () => {
    rest()
    await world.hand(['a', 'b', 'c'])
    await world.start()
    await world.until(async () => (await told()) === 1)
    await world.end()
    await world.start()
    await untilTried()
    expect(await told()).toBe(1)
  })

  test('when checkpoints have passed the report about it, also of a worker that never sent', async () => {
    rest()
    await world.hand(['a', 'b', 'c'])
    const first = await world.start()
    await world.until(
      async () => (await told()) === 1 && (first.fold.lane(ACCOUNT, 'p', 'out')?.isTroubled ?? false),
    )
    await world.end()
    await first.finish()
    const second = world.worker()
    await second.start()
    await world.hand(['d'])
    await second.finish()
    await world.start()
    await untilTried()
    expect(await told()).toBe(1)
  })

  test('and again after events were delivered', async () => {
    rest()
    await world.hand(['a', 'b', 'c'])
    const worker = await world.start()
    await world.until(async () => (await told()) === 1)
    world.answer = () => ({ kind: 'delivered', status: 200, bytes: 1 })
    await world.until(isDone(worker))
    await world.end()
    rest()
    await world.hand(['d', 'e', 'f'])
    await world.start()
    await world.until(async () => (await told()) === 2)
  })

  test('and saying that it continues is no reason for further checkpoints', async () => {
    rest()
    await world.hand(['a', 'b', 'c'])
    const worker = await world.start({ spaceIsShort: () => true })
    await world.until(async () => (await told()) === 1)
    await world.hand(['x'], { node: 'other' })
    const count = async () => (await world.records(world.checkpoints)).length
    await untilTried()
    const before = await count()
    await untilTried()
    expect([await count(), laneOf(worker)?.waiting]).toEqual([before, 3])
  })
})

test('a worker whose partition has a newer owner ends', async () => {
  const worker = world.worker()
  await worker.start()
  await world.start()
  await expect(worker.run(new AbortController().signal)).rejects.toThrow('partition 0 was taken by w')
})

test('a worker whose start was overtaken ends, because the checkpoint of the other passes its owner record', async () => {
  await world.hand(['a', 'b', 'c'])
  const append: Topic['append'] = async (...record) => {
    const appended = await world.topic.append(...record)
    await world.start({ spaceIsShort: () => true })
    await world.until(async () => (await world.checkpoints.bounds(0)).next > 0n)
    return appended
  }
  const topic = new Proxy(world.topic, {
    get(target, name: keyof Topic) {
      const member = target[name]
      if (name === 'append') return append
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  await expect(world.worker({ topic }).start()).rejects.toThrow('partition 0 was taken by a newer worker')
})

test('when space is short, a checkpoint is written and the log is trimmed to what the one before it needs', async () => {
  const worker = await world.start({ spaceIsShort: () => true })
  await world.hand(['a', 'b', 'c'])
  await world.until(isDone(worker))
  await world.hand(['d', 'e', 'f'])
  await world.until(async () => isDone(worker)() && (await world.topic.bounds(0)).first > 1n)
  await world.end()
  const next = world.worker()
  await next.start()
  expect(next.fold.lane(ACCOUNT, 'p', 'out')?.counts.delivered).toBeGreaterThanOrEqual(3)
})

test('when space is short, the log is trimmed also if no record follows', async () => {
  const worker = await world.start({ spaceIsShort: () => true })
  await world.hand(['a', 'b', 'c'])
  await world.until(isDone(worker))
  await world.until(async () => {
    const { first, next } = await world.topic.bounds(0)
    return first === next
  })
})

test('a worker that has read nothing yet estimates the size of what its lanes pin', async () => {
  await world.hand(['x'.repeat(5_000)])
  await world.hand(['y'.repeat(5_000)])
  world.answer = () => ({ kind: 'again', status: null, bytes: 0, failure: FAILURE })
  const before = await world.start()
  await world.until(() => world.sent.length > 0)
  await world.end()
  await before.finish()
  const worker = world.worker()
  await worker.start()
  expect(worker.fold.nextOffset).toBeGreaterThan(1n)
  expect(worker.bytesFrom(0n)).toBeGreaterThan(10_000)
})

test('a partition with a checkpoint of a newer program is left to that program', async () => {
  const worker = await world.start({ spaceIsShort: () => true })
  await world.hand(['a'])
  await world.until(isDone(worker))
  await world.end()
  const state = lanesCheckpointType.decode(worker.fold.checkpoint())
  const body = lanesCheckpointType.encode({ ...state, behaviour: BEHAVIOUR + 1 })
  const log = new CheckpointLog(world.checkpoints, { topic: world.topic, partition: 0 })
  await log.write(9n, worker.fold.nextOffset, body)
  const before = await world.topic.bounds(0)
  await expect(world.worker().start()).rejects.toThrow('was written by a newer program: start that one')
  expect(await world.topic.bounds(0)).toEqual(before)
})

test('a log that lacks what the lanes need is refused', async () => {
  await world.hand(['a'])
  await world.hand(['b'])
  await world.topic.trim(0, 1n)
  await expect(world.worker().start()).rejects.toThrow(
    "partition 0 of weir.outbox begins at 1, but its lanes need 0: restore the log's files",
  )
})
