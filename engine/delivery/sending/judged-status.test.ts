import { expect, test } from 'vitest'
import { judgedStatus } from './judged-status.ts'

test.each([
  [200, 'delivered'],
  [299, 'delivered'],
  [302, 'refused'],
  [400, 'refused'],
  [401, 'rest'],
  [403, 'rest'],
  [404, 'refused'],
  [407, 'rest'],
  [408, 'again'],
  [413, 'divides'],
  [429, 'again'],
  [500, 'again'],
  [501, 'refused'],
  [503, 'again'],
] as const)('%i means %s', (status, kind) => {
  expect(judgedStatus(status, false)).toBe(kind)
})

test('where a remote takes all or nothing, a bad request is halved until the bad event is alone', () => {
  expect([400, 404, 413].map(status => judgedStatus(status, true))).toEqual(['divides', 'refused', 'divides'])
})
