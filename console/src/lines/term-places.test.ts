import { expect, test } from 'vitest'
import { termPlaces } from './term-places.ts'

const marked = (text: string, words: readonly string[]) =>
  termPlaces(text, words).map(({ start, end }) => text.slice(start, end))

test('each word of a query is marked wherever a line has it, whatever its case', () => {
  expect(marked('Error of disk1: ERROR', ['error', 'DISK1', 'absent'])).toEqual(['Error', 'ERROR', 'disk1'])
  expect(marked('groß und GROẞ', ['gross', 'groß'])).toEqual(['groß', 'GROẞ'])
  expect(marked('(a.b) axb [a.b]', ['a.b'])).toEqual(['a.b', 'a.b'])
})

test('a text whose lower-case form is longer has its marks at the words', () => {
  expect(marked('İİİİİİ full', ['full'])).toEqual(['full'])
  expect(marked('İİİİİİ', ['full'])).toEqual([])
})

test('a single character is not marked, and two are', () => {
  expect(marked('a ab', ['a'])).toEqual([])
  expect(marked('a ab', ['ab'])).toEqual(['ab'])
})

test('a line has at most 20 marks', () => {
  expect(marked('word '.repeat(20), ['word'])).toHaveLength(20)
  expect(marked('word '.repeat(21), ['word'])).toHaveLength(20)
})
