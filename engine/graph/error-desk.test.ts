import { beforeEach, expect, test } from 'vitest'
import { Event } from '../event/event.ts'
import { ErrorDesk } from './error-desk.ts'

const eventOf = (message: string) => Event.of(message, {}, '2031-03-09T08:15:30.250Z')

let desk: ErrorDesk
let reported: string[]
let deadLetters: string[]
beforeEach(() => {
  desk = new ErrorDesk('limit')
  reported = []
  deadLetters = []
  desk.open({
    report: ({ nodeId, code, field, event }) => reported.push(`${nodeId} ${code} ${field} ${event.message}`),
    takeDeadLetter: ({ code, event }) => deadLetters.push(`${code} ${event.message}`),
  })
})

test('an error is reported with its node and the present event; only an event that ends here is a dead letter', () => {
  desk.take(eventOf('first'), 0)
  desk.report('E_NOT_FOUND', { field: '.x' })
  desk.take(eventOf('second'), 1)
  desk.fail('E_SCRIPT_FAILED', {})
  expect(reported).toEqual(['limit E_NOT_FOUND .x first', 'limit E_SCRIPT_FAILED null second'])
  expect(deadLetters).toEqual(['E_SCRIPT_FAILED second'])
})

test('an event that is judged again after a suspension does not repeat its reports', () => {
  const judge = (fields: readonly string[]) => {
    for (const field of fields) desk.report('E_NOT_FOUND', { field })
  }
  desk.take(eventOf('a'), 0)
  judge(['.x'])
  desk.takeAgain()
  judge(['.x', '.y'])
  desk.takeAgain()
  judge(['.x', '.y', '.z'])
  expect(reported.map(report => report.split(' ')[2])).toEqual(['.x', '.y', '.z'])
  desk.take(eventOf('b'), 1)
  judge(['.x'])
  expect(reported.at(-1)).toBe('limit E_NOT_FOUND .x b')
})

test('a node cannot report an error before it has an event', () => {
  expect(() => desk.report('E_NOT_FOUND', {})).toThrow('node limit reports E_NOT_FOUND with no event in hand')
})
