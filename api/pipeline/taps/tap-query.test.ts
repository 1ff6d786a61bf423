import { expect, test } from 'vitest'
import { Event } from '../../../engine/event/event.ts'
import { readTapQuery } from './tap-query.ts'

test('missing parameters have defaults: 100 events, 5 minutes, every output, no filter', () => {
  const { wishes, problems } = readTapQuery({})
  expect(problems).toEqual([])
  expect(wishes).toMatchObject({ output: undefined, limit: 100, seconds: 300 })
  expect(wishes.filter(Event.of('anything', {}, '2031-03-09T08:15:30.250Z'))).toBe(true)
})

test.each([
  [
    { limit: '1', seconds: '1' },
    { limit: 1, seconds: 1 },
  ],
  [
    { limit: '1000', seconds: '300' },
    { limit: 1_000, seconds: 300 },
  ],
])('%o is accepted', (query, wishes) => {
  expect(readTapQuery(query)).toMatchObject({ wishes, problems: [] })
})

test('a filter judges events', () => {
  const filter = '{"expressions":[{"field":".app","str_operator":"equal","value":"x"}]}'
  const { wishes } = readTapQuery({ filter })
  const judged = ['x', 'y'].map(app => wishes.filter(Event.of({ app }, {}, '2031-03-09T08:15:30.250Z')))
  expect(judged).toEqual([true, false])
})

const UNKNOWN = '{"expressions":[{"field":".app","str_operator":"unknown"}]}'

test.each([
  [{ limit: '0' }, '/limit must be >= 1'],
  [{ limit: '-5' }, '/limit must be >= 1'],
  [{ limit: '1001' }, '/limit must be <= 1000'],
  [{ limit: '9'.repeat(400) }, '/limit must be <= 1000'],
  [{ limit: '1.5' }, '/limit must be integer'],
  [{ limit: '' }, '/limit must be integer'],
  [{ limit: ['1', '2'] }, '/limit must NOT be given more than once'],
  [{ seconds: '0' }, '/seconds must be >= 1'],
  [{ seconds: '301' }, '/seconds must be <= 300'],
  [{ seconds: 'soon' }, '/seconds must be integer'],
  [{ output: ['a', 'b'] }, '/output must NOT be given more than once'],
  [{ filter: '{' }, '/filter must be JSON'],
  [{ filter: '' }, '/filter must be JSON'],
  [{ filter: 'null' }, '/filter must be object'],
  [{ filter: ['{}', '{}'] }, '/filter must NOT be given more than once'],
  [{ filter: '{"expressions":[]}' }, '/filter/expressions must NOT have fewer than 1 items'],
  [{ filter: UNKNOWN }, '/filter/expressions/0/str_operator must be equal to one of the allowed values'],
  [
    { fitler: '{}' },
    ' must NOT have additional properties: "fitler" is not a setting of the tap; did you mean "filter"?',
  ],
  [{ constructor: 'x' }, " must NOT have additional properties: 'constructor'"],
])('%o: %s', (query, finding) => {
  const { problems } = readTapQuery(query)
  expect(problems.map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual([finding])
})

test('all findings are reported at once', () => {
  const { problems } = readTapQuery({ limit: 'x', seconds: 'y', filter: 'z', unknown: '' })
  expect(problems.map(({ instancePath }) => instancePath)).toEqual(['', '/limit', '/seconds', '/filter'])
})
