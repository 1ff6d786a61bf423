import { describe, expect, test } from 'vitest'
import { caseVariants } from '../../query-language/case-folding.ts'
import { indexedWords, marksOfPart } from './indexed-words.ts'

/** Words that must be whole ones; a star marks those that can be part of one. */
function words(operator: '' | '=' | '==' | '===', text: string): string[] {
  return indexedWords(operator, text).map(({ word, mayBePart }) => (mayBePart ? `${word}*` : word))
}

describe('a whole word', () => {
  test('is a word or a part of one', () => {
    expect(words('==', 'Checkout')).toEqual(['checkout*'])
    expect(words('===', '4bf92F')).toEqual(['4bf92f*'])
  })

  test('of fewer letters than the index has in sequence can be part of any word', () => {
    expect(words('==', 'pod1')).toEqual(['pod1*'])
    expect(words('==', 'pod')).toEqual([])
  })

  test('between symbols is a word, whatever its length', () => {
    expect(words('==', '10.0.25.1234')).toEqual(['1234*', '25', '0'])
    expect(words('==', '/a/')).toEqual(['a'])
  })
})

describe('the beginning of a word', () => {
  test('is in words with an unknown end', () => {
    expect(words('', 'checkout')).toEqual([])
    expect(words('=', '/var/log')).toEqual(['var'])
  })

  test('leaves the words before it known', () => {
    expect(words('', 'f81d4fae-7dec-11d0-a765-00a0')).toEqual(['f81d4fae*', '7dec', '11d0', 'a765'])
  })
})

describe('letters outside ASCII', () => {
  test('separate words, as in the index', () => {
    expect(words('==', 'naïveté')).toEqual(['vet'])
    expect(words('==', '中error')).toEqual(['error*'])
    expect(words('==', '中error中')).toEqual(['error'])
  })

  test('that equal an ASCII letter without regard to case are that letter', () => {
    expect(words('==', 'ſucceſs')).toEqual(['success*'])
    expect(words('==', '\u212aelvin')).toEqual(['kelvin*'])
  })

  test('are no others than these two', () => {
    const equal = Array.from({ length: 128 }, (_, codePoint) => caseVariants(codePoint)).flat()
    expect(new Set(equal.filter(codePoint => codePoint >= 128))).toEqual(new Set([0x17f, 0x212a]))
  })
})

test('symbols alone, and empty texts, are not in the index', () => {
  expect(words('==', '%-%')).toEqual([])
  expect(words('==', '')).toEqual([])
})

test('only the longest words of a long text are looked up', () => {
  const many = Array.from({ length: 12 }, (_, index) => 'x'.repeat(index + 1))
  expect(words('==', `/${many.join('/')}/`)).toEqual(many.reverse().slice(0, 8))
})

describe('a part of a word is looked up by', () => {
  test('the length of the whole word', () => {
    expect(marksOfPart('abcd')).toContain('·beyond4')
    expect(marksOfPart('4bf92f')).toEqual(['·beyond6'])
    expect(marksOfPart('a1'.repeat(16))).toEqual(['·beyond32'])
    expect(marksOfPart('a1'.repeat(100))).toEqual(['·beyond64'])
  })

  test('its runs of digits, which no token divides, and its sequences of letters', () => {
    expect(marksOfPart('abcd')).toEqual(['·beyond4', '·abcd'])
    expect(marksOfPart('checkout123')).toEqual(['·beyond10', '·chec', '·heck', '·ecko', '·ckou', '·kout'])
    expect(marksOfPart('12345')).toEqual(['·beyond4', '·12345'])
  })

  test('eight of them, the longest', () => {
    const marks = marksOfPart('checkoutcheck12345')
    expect(marks.slice(0, 3)).toEqual(['·beyond16', '·12345', '·chec'])
    expect(marks).toHaveLength(9)
  })
})
