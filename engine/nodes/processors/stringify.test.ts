import { expect, test } from 'vitest'
import { pushedEvents } from '../../../test/support/line-batches.ts'
import { oddMembers } from '../../../test/support/odd-values.ts'
import { running } from '../../../test/support/running-processor.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'
import { Event } from '../../event/event.ts'
import { BEYOND_BUDGET, EventMeter, UNMETERED } from '../../expressions/cost-meter.ts'
import { ExpressionAllowance, ExpressionBudget } from '../../expressions/expression-budget.ts'
import { TOO_DEAR } from '../../graph/budget-failures.ts'
import { stringify } from './stringify.ts'

test('stringify has no options', () => {
  const { problems } = transformOptions('stringify')
  expect(problems({})).toEqual([])
  expect(problems({ fields: [] })).toEqual([" must NOT have additional properties: 'fields'"])
})

test('the text has the members as they were sent, whatever their names', () => {
  const { after } = running(stringify)
  expect(after({}, oddMembers('\ud800'))).toBe(oddMembers('\ud800'))
})

test('a pushed event that was not read gives its own text', () => {
  const [event] = pushedEvents([{ b: 1, a: [12345678901234567890n] }]) as [Event]
  const text = stringify.compile({}, () => {}, UNMETERED)(event, undefined, 0) as Event
  expect(text.message).toBe('{"b":1,"a":[12345678901234567890]}')
})

test('the failure of a large event speaks of its size: the node has no options', () => {
  const allowance = new ExpressionAllowance(new ExpressionBudget())
  allowance.countsOptions = true
  const meter = new EventMeter()
  meter.open(allowance, undefined)
  const event = Event.of({ a: '\\\\'.repeat(50_000_000) }, {}, '')
  expect(() => stringify.compile({}, () => {}, meter)(event, undefined, 0)).toThrow(BEYOND_BUDGET)
  const { cause } = TOO_DEAR[meter.kind].detail
  expect(cause).toContain('the event is so large')
  expect(cause).not.toContain('options')
})

test('a long text costs its length: wrapped and printed again, its backslashes double each time', () => {
  const { cost } = running(stringify)
  expect(cost({}, { a: 'x'.repeat(1_000) })).toBe(0)
  expect(cost({}, { a: '\\'.repeat(1_000_000) })).toBe('too much')
})
