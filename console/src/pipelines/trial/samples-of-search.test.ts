import { expect, test } from 'vitest'
import type { Explanation } from '../../api/explanations.ts'
import { parseExact } from '../../api/records.ts'
import { sampleText } from './samples-of-search.ts'

const HANDLED_AT = '2026-11-27T14:03:12.005Z'

const sampleOf = (message: string) =>
  sampleText({
    message: parseExact(message),
    line: {
      handled_at: HANDLED_AT,
      event: { message: null, metadata: { query: { hostname: 'web-1' } }, timestamp: '2026-11-27T14:03:11Z' },
    } as Explanation['line'],
  })

test('a sample is one line of JSON with the message, the metadata and both times of the event', () => {
  const text = sampleOf('{"line":"a\\n  b","meta":{"list":[1,{}],"empty":[]}}')
  expect(text).not.toContain('\n')
  expect(JSON.parse(text)).toEqual({
    message: { line: 'a\n  b', meta: { list: [1, {}], empty: [] } },
    metadata: { query: { hostname: 'web-1' } },
    timestamp: '2026-11-27T14:03:11Z',
    at: HANDLED_AT,
  })
})

test('a large integer of a line stays itself in its sample', () => {
  expect(sampleOf('{"id":9007199254740993}')).toContain('"id": 9007199254740993')
})
