import { expect, test } from 'vitest'
import { caseVariants, foldCodePoint } from './case-folding.ts'

function variants(character: string): string {
  return String.fromCodePoint(...caseVariants(character.codePointAt(0) as number))
}

test.each([
  ['a', 'Aa'],
  ['k', 'Kk\u212a'],
  ['s', 'Ssſ'],
  ['σ', 'Σςσ'],
  ['ß', 'ßẞ'],
  ['ǆ', 'Ǆǅǆ'],
  ['ι', '\u0345Ιι\u1fbe'],
  ['𐐀', '𐐀𐐨'],
  ['\ufb06', '\ufb05\ufb06'],
  ['\u0390', '\u0390\u1fd3'],
  ['\u1fe3', '\u03b0\u1fe3'],
  ['i', 'Ii'],
  ['İ', 'İ'],
  ['中', '中'],
  ['1', '1'],
])('%s equals exactly these without regard to case', (character, expected) => {
  expect(variants(character)).toBe(expected)
})

test('equality without regard to case is that of regular expressions with flags iu', () => {
  for (let codePoint = 0; codePoint <= 0x1ffff; codePoint++) {
    const character = String.fromCodePoint(codePoint)
    for (const other of new Set([character.toLowerCase(), character.toUpperCase()])) {
      if ([...other].length !== 1 || /[\^$\\.*+?()[\]{}|/]/.test(other)) continue
      const equal = new RegExp(`^${other}$`, 'iu').test(character)
      if ((foldCodePoint(codePoint) === foldCodePoint(other.codePointAt(0) as number)) !== equal)
        expect.fail(`${character} and ${other}`)
    }
  }
})
