import { afterEach, beforeEach, expect, test } from 'vitest'
import { OutboxWorld } from '../../../test/support/outbox-world.ts'
import { ACCOUNT } from '../../../test/support/outgoing.ts'
import type { RemoteFailure } from '../../delivery/sending/remote.ts'
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

const laneOf = (worker: OutboxWorker) => worker.fold.lane(ACCOUNT, 'p', 'out')

const errorsIn = () =>
  world.store
    .rows('pipeline_errors')
    .map(({ node, node_kind: kind, code, message, captured, count }) =>
      [node, kind, code, message, JSON.parse(String(captured) || '{}').line, Number(count)].join(' '),
    )

const storedCount = () =>
  world.store.rows('pipeline_errors').reduce((sum, { count }) => sum + Number(count), 0)

const refuseAll = () => {
  world.answer = () => ({
    ...{ kind: 'refused', status: 400, bytes: 1, divides: false },
    failure: { ...FAILURE, answer: 'bad' },
  })
}

test('events that are given up are errors of their node, with the first of them and the answer', async () => {
  refuseAll()
  await world.hand(['a', 'b', 'c', 'd', 'e', 'f'])
  await world.start({ settingsOf: () => ({ giveUpAfterMs: null, keepsLetters: false }) })
  await world.until(() => errorsIn().length > 0)
  expect(errorsIn()).toEqual(['out destination E_DELIVERY_FAILED It was refused: bad a 6'])
  expect(await world.records(world.deadLetters)).toEqual([])
})

test.each(['stored, answer lost', 'lost'] as const)(
  'errors are stored once by the next worker, if an insert before it was %s',
  async fate => {
    refuseAll()
    await world.hand(['a', 'b', 'c'])
    await world.start()
    let isTried = false
    world.store.decideInserts(() => {
      isTried = true
      return fate
    })
    await world.until(() => isTried)
    // Its checkpoint waits for the errors.
    const before = await world.checkpoints.bounds(0)
    await world.end()
    expect(await world.checkpoints.bounds(0)).toEqual(before)
    world.store.decideInserts(() => 'stored')
    await world.hand(['d', 'e', 'f'])
    const next = await world.start()
    await world.until(() => laneOf(next)?.counts.givenUp === 6 && storedCount() >= 6)
    await world.end()
    await next.finish()
    expect(storedCount()).toBe(6)
  },
)

test('a store that is away delays no delivery', async () => {
  world.store.decideInserts(() => 'refused')
  refuseAll()
  await world.hand(['a', 'b', 'c'])
  const worker = await world.start()
  await world.until(() => laneOf(worker)?.counts.givenUp === 3)
  world.answer = () => ({ kind: 'delivered', status: 200, bytes: 1 })
  await world.hand(['d', 'e', 'f'])
  await world.until(() => laneOf(worker)?.counts.delivered === 3)
})

test('a remote that refuses the credentials is an error at once, and once', async () => {
  world.answer = () => ({ kind: 'rest', status: 401, bytes: 1, failure: FAILURE })
  await world.hand(['a', 'b', 'c'])
  await world.start()
  await world.until(() => errorsIn().length > 0)
  expect(errorsIn()).toEqual(['out destination E_DELIVERY_RETRYING It was refused.  1'])
  const { length } = world.sent
  await world.until(() => world.sent.length > length + 3)
  expect(errorsIn()).toHaveLength(1)
})

test('a remote without success for five minutes is an error', async () => {
  const failingSinceMs = world.clock.wallMs()
  world.answer = () => ({ kind: 'again', status: 503, bytes: 1, failure: FAILURE })
  await world.hand(['a', 'b', 'c'])
  await world.start()
  await world.until(() => errorsIn().length > 0)
  expect(world.clock.wallMs() - failingSinceMs).toBeGreaterThanOrEqual(300_000)
  expect(errorsIn()).toEqual(['out destination E_DELIVERY_RETRYING It was refused.  1'])
})
