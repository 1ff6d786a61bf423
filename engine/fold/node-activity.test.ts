import { expect, test } from 'vitest'
import { BEHAVIOUR, ELEVENTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { linesOf } from '../../test/support/loose-fold.ts'
import { Event } from '../event/event.ts'
import { noCounts } from '../graph/node-counters.ts'
import { activitySince, PendingNodeActivity } from './node-activity.ts'

const NODE = { account: 'a', pipeline: 'p', node: 'n' }
const EVENT = Event.ofLine(linesOf(['x'], 'a'), 0)
const counts = (eventsIn: number) => ({ ...noCounts(), eventsIn })
const error = (field: string | null) =>
  ({ nodeId: 'n', kind: 'transform', code: 'E_NOT_FOUND', field, message: 'no', event: EVENT }) as const

const at = (timeMs: number, behaviour = BEHAVIOUR) => ({ timeMs, behaviour })

test('counts of a node add up until they are taken; its totals stay', () => {
  const pending = new PendingNodeActivity()
  pending.add(NODE, noCounts())
  expect(pending.empty).toBe(true)
  pending.add(NODE, counts(2))
  pending.add(NODE, counts(3))
  expect(pending.take().nodes).toMatchObject([{ ...NODE, activity: { eventsIn: 5 } }])
  expect(pending.empty).toBe(true)
  pending.add(NODE, counts(1))
  expect([...pending.totals]).toMatchObject([{ ...NODE, activity: { eventsIn: 6 } }])
})

test('an output has its part of the counts of its node, also after a restart', () => {
  const pending = new PendingNodeActivity()
  const whole = { ...noCounts(), eventsIn: 5, eventsOut: 4, copied: 1, dropped: 2 }
  const part = { ...noCounts(), eventsOut: 4 }
  pending.add(NODE, whole)
  pending.noteOutput(NODE, 'b', noCounts())
  pending.noteOutput(NODE, 'c', part)
  expect([...pending.totals]).toMatchObject([{ ...NODE, activity: whole, outputs: new Map([['c', part]]) }])
  const restored = new PendingNodeActivity()
  restored.restore(pending.snapshot())
  const { nodes } = restored.take()
  expect(nodes).toEqual([
    { ...NODE, activity: { ...whole, eventsOut: 0 } },
    { ...NODE, output: 'c', activity: part },
  ])
  expect(pending.take().nodes).toEqual(nodes)
})

test('an error is one row per code and field, with the event that caused the first', () => {
  const pending = new PendingNodeActivity()
  pending.addError(NODE, { ...error('.a'), captured: 'first' }, at(1_000))
  pending.addError(NODE, { ...error('.a'), captured: 'second' }, at(2_000))
  pending.addError(NODE, error('.b'), at(3_000))
  expect(pending.take().errors).toMatchObject([
    { ...NODE, code: 'E_NOT_FOUND', field: '.a', count: 2, firstMs: 1_000, lastMs: 2_000, captured: 'first' },
    { ...NODE, code: 'E_NOT_FOUND', field: '.b', count: 1, lastMs: 3_000 },
  ])
})

test('the time of the first error is not recorded before the twelfth behaviour', () => {
  const pending = new PendingNodeActivity()
  pending.addError(NODE, error('.a'), at(1_000, ELEVENTH_BEHAVIOUR))
  expect(pending.take().errors[0]).not.toHaveProperty('firstMs')
})

test('beyond ten thousand distinct errors, further ones count by node and code alone', () => {
  const pending = new PendingNodeActivity()
  for (let field = 0; field < 10_002; field++) pending.addError(NODE, error(`.${field}`), at(0))
  pending.addError(NODE, error('.0'), at(0))
  const { errors } = pending.take()
  expect(errors).toHaveLength(10_001)
  const several = errors.filter(({ count }) => count > 1).map(({ field, count }) => [field, count])
  expect(several.sort()).toEqual([
    ['.0', 2],
    ['.10000', 2],
  ])
})

test('a snapshot has what is pending, and no totals', () => {
  const pending = new PendingNodeActivity()
  pending.add(NODE, counts(2))
  pending.addError(NODE, error(null), at(0))
  const restored = new PendingNodeActivity()
  restored.restore(pending.snapshot())
  expect([...restored.totals]).toEqual([])
  expect(restored.take()).toEqual(pending.take())
})

test('the counts since an earlier reading are the differences', () => {
  expect(activitySince(counts(5), counts(3)).eventsIn).toBe(2)
  expect(activitySince(counts(5), undefined).eventsIn).toBe(5)
})
