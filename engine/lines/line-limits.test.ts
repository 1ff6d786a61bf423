import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanTags, cutCharacters, cutUtf8 } from './line-limits.ts'

test('a text is cut between characters, never inside one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, limit) => {
      expect(cutCharacters(text, limit)).toBe([...text].slice(0, limit).join(''))
    }),
  )
})

test('UTF-8 is cut to the longest run of whole characters within the limit', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(60), (text, limit) => {
      const well = text.toWellFormed()
      const bytes = Buffer.concat([Buffer.from('ab'), Buffer.from(well)])
      let kept = ''
      for (const character of well) {
        if (Buffer.byteLength(kept + character) > limit) break
        kept += character
      }
      expect(bytes.toString('utf8', 2, cutUtf8(bytes, 2, bytes.length, limit))).toBe(kept)
    }),
  )
})

test('tags are trimmed and cut, without empty ones and repeats', () => {
  expect(cleanTags([' a', 'a ', '', ' ', 'b', 'x'.repeat(81)], new Set(['b']))).toEqual(['a', 'x'.repeat(80)])
})
