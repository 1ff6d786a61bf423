import { expect, test } from 'vitest'
import { BEYOND_BUDGET, UNMETERED } from '../../expressions/cost-meter.ts'
import { compileLineTest, judgedRecord, RuleJudgement } from './line-rules.ts'

const LINE = judgedRecord({ _host: 'web-1', _app: 'shop', level: 'ERROR', _line: 'no stock', stock: 0 })
const ANY = { apps: [], hosts: [], query: '' }

test.each([
  ['an app of the list', { apps: ['bank', 'shop'] }, true],
  ['only other apps', { apps: ['bank'] }, false],
  ['a level, in any case', { levels: ['error'] }, true],
  ['an app, and a host that does not fit', { apps: ['shop'], hosts: ['web-2'] }, false],
  ['a query about the line', { query: 'stock:0 no' }, true],
  ['an app, and a query that does not fit', { apps: ['shop'], query: 'stock:1' }, false],
  ['a query for every line', { query: '*' }, true],
  ['not a single condition', {}, false],
  ['a query that cannot be read', { query: '(' }, false],
  ['a query about the retention, which rules decide', { query: '-_retention:7' }, false],
])('a rule with %s', (_title, conditions, matches) => {
  expect(compileLineTest({ ...ANY, ...conditions })(LINE, UNMETERED)).toBe(matches)
})

test('the record of a line is requested only by a query that host, app and level do not answer', () => {
  const untouched = { host: 'web-1', app: 'shop', level: 'ERROR', searched: () => expect.unreachable() }
  for (const query of ['_app:shop level:error', '_host:web-1', '*'])
    expect(compileLineTest({ ...ANY, query })(untouched, UNMETERED)).toBe(true)
})

test('a rule whose cost exceeds the budget of the line does not match, and the judgement says so', () => {
  const judgement = new RuleJudgement(LINE, UNMETERED)
  expect([judgement.meets(() => true), judgement.isCut]).toEqual([true, false])
  const tooCostly = () => {
    throw BEYOND_BUDGET
  }
  expect([judgement.meets(tooCostly), judgement.isCut]).toEqual([false, true])
})
