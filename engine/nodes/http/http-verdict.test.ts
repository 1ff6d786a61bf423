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
