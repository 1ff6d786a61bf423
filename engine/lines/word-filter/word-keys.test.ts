import fc from 'fast-check'
import { expect, test } from 'vitest'
import { UNMETERED } from '../../expressions/cost-meter.ts'
import type { MatchOperator } from '../../query-language/syntax-tree.ts'
import { textMatches, valueMatches } from '../../query-language/token-match.ts'
import { bitsOf, keysOfTerm, keysOfText, type StartKeys, wordOf } from './word-keys.ts'

const OPERATORS: readonly MatchOperator[] = ['', '=', '==', '===']

const namesOf = (starts: readonly StartKeys[]) =>
  new Set(starts.flatMap(({ section, hashes }) => hashes.map(hash => `${section}:${hash}`)))

const piece = fc.oneof(
  fc.constantFrom(
    ...['a', 'b', 'A', 'B', '7', 'é', 'É', 'ß', '漢', '٣', '\u017f', '\u212a', 's', 'k', '-', ' ', '_'],
  ),
  fc.stringMatching(/^[abAB]{1,14}$/),
  fc.stringMatching(/^[01]{1,18}$/),
  fc.stringMatching(/^[0-9a-f]{1,14}$/),
)
const text = fc.array(piece, { maxLength: 14 }).map(pieces => pieces.join(''))

test('a text with a match of a term has all keys of the term', () => {
  let matches = 0
  let keys = 0
  const property = fc.property(text, fc.nat(), fc.nat(), fc.boolean(), (whole, from, length, upper) => {
    const characters = [...whole]
    const start = from % (characters.length + 1)
    const cut = characters.slice(start, start + 1 + (length % 20)).join('')
    const term = upper ? cut.toUpperCase() : cut
    if (term === '') return
    const wanted = namesOf(keysOfTerm(term))
    for (const operator of OPERATORS) {
      if (!textMatches(operator, term, whole, UNMETERED) && !valueMatches(operator, term, whole, UNMETERED))
        continue
      matches++
      keys += wanted.size
      const given = namesOf(keysOfText(whole))
      for (const key of wanted) expect(given, `${operator}${term} in ${whole}`).toContain(key)
    }
  })
  fc.assert(property, { numRuns: Number(process.env.WORD_KEY_RUNS ?? 5_000) })
  expect(matches).toBeGreaterThan(1_000)
  expect(keys).toBeGreaterThan(1_000)
})

test.each([
  ['quick', 1],
  ['quickly', 2],
  ['quicksilver', 3],
  ['quicksilverandgold', 5],
  ['a1b2', 0],
  ['a1b2c3', 1],
  ['needle7f3a9c', 3],
  ['req', 0],
])('%s gives %i keys at its first start', (word, count) => {
  expect(keysOfTerm(word)[0]?.hashes.length ?? 0).toBe(count)
})

test('an upper-case letter behind a lower-case one begins a token of a text, and none of a term', () => {
  expect(keysOfText('orderCreated')).toHaveLength(2)
  expect(keysOfTerm('orderCreated')).toHaveLength(1)
  expect(keysOfTerm('order-created')).toHaveLength(2)
})

test('a section of half the size has the same key at half the place', () => {
  for (const hash of keysOfTerm('trace-4bf92f3577b34da6').flatMap(({ hashes }) => hashes)) {
    for (const words of [1024, 512, 2])
      expect(wordOf(hash, words / 2)).toBe(Math.floor(wordOf(hash, words) / 2))
    expect(bitsOf(hash)).toBeGreaterThan(0n)
  }
})
