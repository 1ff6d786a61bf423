import { expect, test } from 'vitest'
import type { JsonValue } from '../../schemas/json.ts'
import { Event } from '../event/event.ts'
import { UNMETERED } from '../expressions/cost-meter.ts'
import { changeFields, compileCondition } from './condition.ts'

const condition = (str_operator: string, value: number | string, negate = false) => ({
  expressions: [{ field: '.n', str_operator, value, negate }],
})

/** Whether a condition holds, and the errors that it reports. */
function judged(
  operator: string,
  operand: number | string,
  now: JsonValue,
  before: number | undefined,
  negate = false,
) {
  const errors: string[] = []
  const meets = compileCondition(
    condition(operator, operand, negate),
    code => errors.push(code),
    UNMETERED,
    field => (field === '.n' ? before : undefined),
  )
  return [meets(Event.of({ n: now }, {}, '')), errors]
}

test.each<[string, number | string, JsonValue, number | undefined, boolean]>([
  ['value_change_greater', 4, 15, 10, true],
  ['value_change_greater', 5, 15, 10, false],
  ['value_change_greater_or_equal', 5, 15, 10, true],
  ['value_change_less', -4, 5, 10, true],
  ['value_change_less', -5, 5, 10, false],
  ['value_change_less_or_equal', '-5', 5, 10, true],
  ['percent_change_greater', 49, 15, 10, true],
  ['percent_change_greater', 50, 15, 10, false],
  ['percent_change_greater_or_equal', 50, 15, 10, true],
  ['percent_change_less', -49, -15, -10, true],
  ['percent_change_less_or_equal', -50, -15, -10, true],
  ['percent_change_greater', 1e308, 0.001, 0, true],
  ['percent_change_less', -1e308, -1, 0, true],
  ['percent_change_greater_or_equal', 0, 0, 0, true],
  ['percent_change_greater', 0, 0, 0, false],
  ['value_change_greater', 1, 9007199254740993n, 1, true],
  ['value_change_greater', -1e9, 5, undefined, false],
  ['value_change_greater', -1e9, '15', 10, false],
  ['value_change_greater', -1e9, null, 10, false],
])('%s %s from %s after %s: %s, without an error', (operator, operand, now, before, holds) => {
  expect(judged(operator, operand, now, before)).toEqual([holds, []])
  expect(judged(operator, operand, now, before, true)).toEqual([!holds, []])
})

test('a change operator is refused where nothing is compared with', () => {
  expect(() => compileCondition(condition('value_change_less', 1), () => {}, UNMETERED)).toThrow(RangeError)
})

test('the fields that change operators compare are each named once', () => {
  const leaf = (field: string, str_operator: string) => ({ field, str_operator, value: 1 })
  expect(
    changeFields({
      expressions: [
        leaf('.a', 'value_change_less'),
        leaf('.b', 'greater'),
        { expressions: [leaf('.c', 'percent_change_less'), leaf('.a', 'percent_change_less')] },
      ],
    }),
  ).toEqual(['.a', '.c'])
})
