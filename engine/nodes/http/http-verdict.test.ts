import { expect, test } from 'vitest'
import { statusVerdict } from './http-verdict.ts'

const SENT = {
  request: { method: 'POST', url: 'https://example.com', headers: {}, body: Buffer.from('') },
  events: 1,
}
const verdictOn = (status: number, body: string) =>
  statusVerdict({ status, headers: {}, body }, SENT, { takesAllOrNothing: true, reason: /too (?:old|new)/ })

test('a failure shows the reason that an answer with status 400 contains, and nothing else of it', () => {
  const failed = (message: string) => ({ code: 'E_DELIVERY_FAILED', field: null, message })
  expect(verdictOn(400, 'the entry "secret" is too old: 1970')).toEqual(
    failed('The server answered 400 (too old)'),
  )
  expect(verdictOn(400, 'the entry "secret" is bad')).toEqual(failed('The server answered 400'))
  expect(verdictOn(404, 'too new')).toEqual(failed('The server answered 404'))
})

/** Kind of the judgement on a request with so many events. */
function kindOf(status: number, events: number, takesAllOrNothing = false): string {
  const verdict = statusVerdict({ status, headers: {}, body: '' }, { ...SENT, events }, { takesAllOrNothing })
  return typeof verdict === 'string' ? verdict : 'failed'
}

test.each([
  [200, 'delivered'],
  [299, 'delivered'],
  [302, 'failed'],
  [400, 'failed'],
  [401, 'rest'],
  [403, 'rest'],
  [404, 'failed'],
  [407, 'rest'],
  [408, 'again'],
  [413, 'halve'],
  [429, 'again'],
  [500, 'again'],
  [501, 'failed'],
  [503, 'again'],
] as const)('%i means %s', (status, kind) => {
  expect(kindOf(status, 2)).toBe(kind)
})

test('a request that is too large is halved until one event is alone, which fails', () => {
  expect([2, 1].map(events => kindOf(413, events))).toEqual(['halve', 'failed'])
})

test('where a server takes all or nothing, a bad request is halved until the bad event is alone', () => {
  expect([400, 404].map(status => kindOf(status, 2, true))).toEqual(['halve', 'failed'])
  expect(kindOf(400, 1, true)).toBe('failed')
})
