import { expect, test } from 'vitest'
import { Event } from '../../../event/event.ts'
import type { HttpRequest } from '../../../outbound/http-exchange.ts'
import type { BatchPlace } from '../../contract/define-destination.ts'
import { logAnalysisElsewhere } from './log-analysis-elsewhere.ts'

const CONFIG = { host: 'logs.example.com', ingestion_key: 'key', query: { hostname: 'web' } }

function keysOf(place: BatchPlace | undefined, texts: readonly string[] = ['a']) {
  const events = texts.map(text => Event.of(text, {}, '2031-03-09T08:15:30.250Z'))
  const batch = { id: 'id', events, eventIds: events.map(String), closedMs: 1, ...(place && { place }) }
  return [...logAnalysisElsewhere.encode(batch, CONFIG)].map(({ request }) => {
    const { headers, headersAfterConflict } = request as HttpRequest
    return [headers['idempotency-key'], headersAfterConflict?.['idempotency-key']]
  })
}

test('the key of a batch is its place in the lane; after a conflict it is the id of the batch', () => {
  expect(keysOf(undefined)).toEqual([['id', undefined]])
  expect(keysOf({ lane: 'lane', number: 7 })).toEqual([['lane/7', 'id']])
  // A larger batch than the bounds allow needs further requests.
  const texts = Array.from({ length: 1_001 }, () => 'a')
  expect(keysOf({ lane: 'lane', number: 7 }, texts)).toEqual([
    ['lane/7', 'id'],
    ['id.2', undefined],
  ])
})

test('numbers of the parts of a batch rise in the order in which they are sent', () => {
  // Ten events are halved, then two of a half are sent again.
  const parts = [
    ...[
      [0, 10],
      [0, 5],
      [0, 3],
      [0, 2],
    ],
    ...[
      [2, 1],
      [3, 2],
      [5, 5],
      [6, 2],
      [7, 1],
    ],
  ] as [number, number][]
  const numbers = parts.map(([first, events]) => {
    const [[key = ''] = []] = keysOf({ lane: 'lane', number: 7, part: { first, events, of: 10 } })
    expect(key).toMatch(/^lane\.7\/\d+$/)
    return Number(key.split('/')[1])
  })
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
})

test.each([
  [{ ...CONFIG, ingestion_key: 'ä\n' }, ['/ingestion_key', '/ingestion_key']],
  [{ host: 'logs.example.com', query: { hostname: 'web' } }, ['']],
  [CONFIG, []],
])('%j has the findings %j', (config, pointers) => {
  const problems = logAnalysisElsewhere.publishProblems?.(config, {} as never) ?? []
  expect(problems.map(({ instancePath }) => instancePath)).toEqual(pointers)
})
