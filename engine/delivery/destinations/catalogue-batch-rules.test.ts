import { expect, test } from 'vitest'
import { Event } from '../../event/event.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import { CatalogueBatchRules } from './catalogue-batch-rules.ts'

const rules = new CatalogueBatchRules(CATALOGUE)

test('the rules of a destination follow from its options', () => {
  const { limits, splitOf, bytesOf } = rules.rulesOf(
    'http',
    '{"encoding":"ndjson","advanced_options":{"max_bytes":100}}',
  )
  expect(limits).toEqual({ maxBytes: 100, maxEvents: 1_000, maxAgeMs: 1_000 })
  const event = Event.of({ a: 1 }, {}, '2031-03-09T08:15:30.250Z')
  expect([splitOf(event), bytesOf(event)]).toEqual(['', '{"a":1}\n'.length])
})

test('a destination that sends nothing has no rules', () => {
  for (const type of ['blackhole', 'log-analysis', 'unknown'])
    expect(() => rules.rulesOf(type, '{}')).toThrow(`no destination of type "${type}" sends requests here`)
})
