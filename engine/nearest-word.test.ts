import { expect, test } from 'vitest'
import { nearestWord, suggestion } from './nearest-word.ts'

const SETTINGS = ['bucket_key', 'limit', 'window_ms', 'sent_time', 'ok', 'us1', 'eu1']

test.each([
  ['limt', 'limit'],
  ['limits', 'limit'],
  ['Limit', 'limit'],
  ['LIMIT', 'limit'],
  ['windowMs', 'window_ms'],
  ['window-ms', 'window_ms'],
  ['bukcet_kye', undefined],
  ['bucketkey', 'bucket_key'],
  ['set_time', 'sent_time'],
  ['threshold', undefined],
  ['x', undefined],
  ['', undefined],
  ['us2', undefined],
  ['us', undefined],
  ['no', undefined],
  ['OK', 'ok'],
  ['oki', undefined],
  ['limit'.repeat(20), undefined],
])('"%s" probably means %s', (word, expected) => {
  expect(nearestWord(word, SETTINGS)).toBe(expected)
})

test('a word without a near one gets no suggestion, and one without a list neither', () => {
  expect(suggestion('limt', SETTINGS)).toBe('; did you mean "limit"?')
  expect(suggestion('threshold', SETTINGS)).toBe('')
  expect(suggestion('limt', [])).toBe('')
})
