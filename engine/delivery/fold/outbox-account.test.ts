import { expect, test } from 'vitest'
import { outgoingType } from '../../../schemas/log/outgoing.ts'
import { deletedPart, handedPart, LANE_RULES, outgoingValue } from '../../../test/support/outgoing.ts'
import { PRESENT_FORMS } from '../../lines/columns/value-forms.ts'
import { DAY_MS } from '../../times/duration.ts'
import { handedParts } from './handed-events.ts'
import { OutboxAccount } from './outbox-account.ts'

const SOURCE = 'weir.ingest 0'
const place = (offset: bigint, timeMs = 1_000) => ({ offset, beforeMs: timeMs, timeMs })
const partsOf = (...parts: Parameters<typeof outgoingValue>[0]) =>
  handedParts(outgoingType.decode(outgoingValue(parts)), PRESENT_FORMS)
const events = (row: number, pipeline = 'p') =>
  handedPart({
    pipeline,
    lines: ['a', 'b'],
    positions: [0, 1].map(step => ({ offset: 0n, row: row + step })),
  })

test('new events go to the lane of their node, and events that were passed go nowhere', () => {
  const account = new OutboxAccount('a', LANE_RULES)
  const received = account.take(SOURCE, partsOf(events(0), events(0), events(2, 'q')), place(7n))
  expect([...received].map(({ pipeline, birth, waiting }) => [pipeline, birth, waiting])).toEqual([
    ['p', 7, 2],
    ['q', 7, 2],
  ])
  expect([...account.take(SOURCE, partsOf(events(1)), place(8n))]).toEqual([])
  expect([...account.take('weir.keyed 0', partsOf(events(1)), place(8n))]).toHaveLength(1)
})

test('a deletion counts from its place on, once', () => {
  const account = new OutboxAccount('a', LANE_RULES)
  account.take(SOURCE, partsOf(events(0), deletedPart('p', { offset: 0n, row: 2 }), events(3)), place(7n))
  expect(account.lane('p', 'out')?.counts).toMatchObject({ handedOver: 4, dropped: 4 })
  const restored = OutboxAccount.restored(LANE_RULES, account.snapshot())
  expect(restored.snapshot()).toEqual(account.snapshot())
  restored.take(
    'weir.keyed 0',
    partsOf(handedPart({ node: 'new', lines: ['c'], positions: [{ offset: 9n, row: 0 }] })),
    place(8n),
  )
  expect(restored.lane('p', 'new')?.counts).toMatchObject({ handedOver: 1, dropped: 1 })
})

test('a deletion is forgotten after a month', () => {
  const account = new OutboxAccount('a', LANE_RULES)
  account.take(SOURCE, partsOf(deletedPart('p', { offset: 0n, row: 0 })), place(7n))
  account.forget(1_000 + 30 * DAY_MS - 1)
  expect(account.snapshot().deleted).toHaveLength(1)
  account.forget(1_000 + 30 * DAY_MS)
  expect(account.snapshot().deleted).toEqual([])
})
