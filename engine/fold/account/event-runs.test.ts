import { beforeEach, expect, test } from 'vitest'
import { catalogueWith } from '../../../test/support/catalogue-with.ts'
import { pushedValue, SAMPLE_ACCOUNT, SAMPLE_ROUTE } from '../../../test/support/line-batches.ts'
import { LooseFold, linesOf } from '../../../test/support/loose-fold.ts'
import { quietDestination } from '../../../test/support/quiet-destination.ts'
import { node, SOURCE } from '../../../test/support/world.ts'
import { Event } from '../../event/event.ts'
import { LineBatchView } from '../../lines/columns/line-batch-view.ts'

const STORING = [SOURCE, node('sink', 'store', 'log-analysis', ['source'])]
const HOLE = [SOURCE, node('sink', 'hole', 'blackhole', ['source'])]
const PUSHED = [
  { ...node('source', 'door', 'http'), gateway_route_id: SAMPLE_ROUTE },
  node('sink', 'hole', 'blackhole', ['door']),
]

let fold: LooseFold
beforeEach(() => {
  fold = new LooseFold()
})

const account = () => fold.parts.accounts.of(SAMPLE_ACCOUNT)

/** Runs a pushed event. */
function push(value = pushedValue([{ messages: ['hello'] }])): void {
  const batch = LineBatchView.decode(value)
  fold.do(account().run(batch, [0], fold.parts.output))
  fold.parts.notePending(account())
}

test('lines that no pipeline reads are stored by the default graph, which counts them', () => {
  fold.run(['a', 'b'])
  expect(fold.stored()).toEqual(['a', 'b'])
  expect(fold.counts()).toMatchObject({ '/own-store': [2, 0] })
})

test('lines that a pipeline reads are not stored by the default graph, too', () => {
  fold.deploy(HOLE)
  fold.run(['a'])
  expect(fold.stored()).toEqual([])
  expect(fold.counts()).toMatchObject({ 'p/hole': [1, 0] })
})

test('lines run through every pipeline that reads them', () => {
  fold.deploy(STORING, { pipeline: 'b' })
  fold.deploy(STORING, { pipeline: 'a' })
  fold.run(['x'])
  expect(fold.stored()).toEqual(['x', 'x'])
  expect(fold.counts()).toMatchObject({ 'a/store': [1, 0], 'b/store': [1, 0] })
})

const QUIET = [SOURCE, node('sink', 'quiet', 'quiet', ['source'], { app: 'noise' })]

test('events that a destination can never send fail: they are counted, reported and kept as dead letters', () => {
  const encoded: unknown[] = []
  const destination = quietDestination(({ events }) => {
    encoded.push(events.map(event => event.member('app')))
    return []
  })
  fold = new LooseFold({ catalogue: catalogueWith({ destinations: [destination] }) })
  fold.deploy(QUIET)
  account().deadLetters.set('p', true)
  fold.run(['a', 'noise', 'b'])
  const { nodes, errors } = fold.parts.tables.minute.activity.take()
  expect(nodes.find(({ node }) => node === 'quiet')).toMatchObject({
    activity: { eventsIn: 3, eventsOut: 2, failed: 1 },
  })
  expect(errors).toMatchObject([{ pipeline: 'p', node: 'quiet', code: 'E_DELIVERY_FAILED', field: '.app' }])
  expect(fold.parts.exchange.mail.take()).toHaveLength(1)
  expect(encoded).toEqual([['a', 'b']])
})

test('a request that nothing carries is a fault: its events would count as delivered', () => {
  const destination = quietDestination(({ events }) => [{ request: 'r', events: events.length }])
  fold = new LooseFold({ catalogue: catalogueWith({ destinations: [destination] }) })
  fold.deploy(QUIET)
  expect(() => fold.run(['a'])).toThrow('destination "quiet" has a request, which nothing carries')
})

test('a paused pipeline handles nothing: while no other reads lines, the default graph stores them', () => {
  fold.deploy(HOLE, { paused: true })
  fold.run(['x'])
  expect(fold.stored()).toEqual(['x'])
  expect(fold.counts()).not.toHaveProperty(['p/hole'])
})

test('events of a gateway route that no pipeline reads are dropped and counted, unless one that is paused does', () => {
  push()
  expect(fold.counts()).toMatchObject({ [`/gateway-route-${SAMPLE_ROUTE}`]: [1, 1] })
  expect(fold.stored()).toEqual([])
  fold.deploy(PUSHED as never, { paused: true })
  push()
  expect(fold.counts()).toMatchObject({ [`/gateway-route-${SAMPLE_ROUTE}`]: [1, 1] })
})

test('events from another partition go on at their node, in the present revision when theirs is gone', () => {
  fold.deploy(HOLE)
  const events = [Event.ofLine(linesOf(['x']), 0)]
  const resumed = (version: number, waiting: string) =>
    fold.do(account().resume({ pipeline: 'p', version, node: waiting }, events, fold.parts.output))
  expect(resumed(1, 'hole')?.version).toBe(1)
  expect(resumed(99, 'hole')?.version).toBe(1)
  expect(resumed(1, 'gone')).toBeUndefined()
  fold.parts.notePending(account())
  expect(fold.counts()).toMatchObject({ 'p/hole': [2, 0], 'p/gone': [1, 1] })
})

test('a refused request is an error of each source that it was for, and of none that is paused', () => {
  const refusal = { code: 'E_NOT_FOUND', field: null, message: 'no' }
  const batch = LineBatchView.decode(pushedValue([{ messages: ['beginning'], refusal }]))
  const errors = () => {
    account().reportRefusals(batch, fold.parts.output)
    return fold.parts.tables.minute.activity
      .take()
      .errors.map(({ pipeline, node, code }) => [pipeline, node, code])
  }
  expect(errors()).toEqual([])
  fold.deploy(PUSHED as never)
  fold.deploy(PUSHED as never, { pipeline: 'q', paused: true })
  expect(errors()).toEqual([['p', 'door', 'E_NOT_FOUND']])
})
