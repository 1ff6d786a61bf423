import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { writeLength } from '../columns/text-lengths.ts'
import { SECTIONS, SegmentFilter, TEXT_MARK } from './segment-filter.ts'
import { bitsOf, keysOfTerm, keysOfText, type StartKeys, wordOf } from './word-keys.ts'

const filter = new SegmentFilter()

function encoded(texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap(text => {
      const bytes = Buffer.from(text)
      const length = Buffer.alloc(5)
      return [length.subarray(0, writeLength(length, 0, bytes.length)), bytes]
    }),
  )
}

function marksOf(texts: readonly string[]): number[] {
  filter.clear()
  return [...(filter.addLoaded(filter.load(encoded(texts), 0)) ?? texts.map(() => 0))]
}

function isIn(section: Buffer, hash: bigint): boolean {
  const word = section.readBigUInt64LE(wordOf(hash, section.length / 8) * 8)
  return (word & bitsOf(hash)) === bitsOf(hash)
}

const has = (sections: readonly Buffer[], starts: readonly StartKeys[]) =>
  starts.every(({ section, hashes }) => hashes.every(hash => isIn(sections[section] as Buffer, hash)))

/** A section with exactly these keys. */
function sectionOf(starts: readonly StartKeys[], number: number, words: number): Buffer {
  const bytes = Buffer.alloc(words * 8)
  for (const { section, hashes } of starts)
    if (section === number)
      for (const hash of hashes) {
        const at = wordOf(hash, words) * 8
        bytes.writeBigUInt64LE(bytes.readBigUInt64LE(at) | bitsOf(hash), at)
      }
  return bytes
}

const piece = fc.oneof(
  fc.constantFrom(
    'a',
    'Z',
    '7',
    'é',
    '漢',
    '\u017f',
    '\u212a',
    '😀',
    '-',
    ' ',
    '"',
    '\\',
    '{',
    '\0',
    '\u007f',
  ),
  fc.stringMatching(/^[a-z]{1,20}$/),
  fc.stringMatching(/^[A-Z]{1,20}$/),
  fc.stringMatching(/^[0-9]{1,20}$/),
  fc.stringMatching(/^[0-9a-f]{1,40}$/),
)
const text = fc.array(piece, { maxLength: 40, size: 'max' }).map(pieces => pieces.join(''))

describe('a filter', () => {
  test('has exactly the keys of its texts, in sections and in one piece', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), texts => {
        const fill = () => {
          const marks = marksOf(texts)
          for (const [index, each] of texts.entries())
            if (((marks[index] as number) & TEXT_MARK.folded) !== 0) filter.addText(each)
        }
        // Letters outside ASCII end runs, so a text has the keys without them as well.
        const keys = texts.flatMap(each => [
          ...keysOfText(each),
          ...keysOfText(each.replaceAll(/[\u017f\u212a]/g, '漢')),
        ])
        fill()
        for (const [number, section] of filter.sections().entries())
          expect(section).toEqual(sectionOf(keys, number, section.length / 8))
        fill()
        const whole = filter.whole()
        const words = whole.length / 8 / SECTIONS
        const expected = Array.from({ length: SECTIONS }, (_, number) => sectionOf(keys, number, words))
        expect(whole).toEqual(Buffer.concat(expected))
      }),
      { numRuns: 500 },
    )
  })

  test('has no word of two neighbouring texts, whatever their lengths', () => {
    marksOf(['x'.repeat(65), 'quick'])
    const sections = filter.sections()
    expect(has(sections, keysOfTerm('quick'))).toBe(true)
    expect(has(sections, keysOfTerm('5quick'))).toBe(false)
  })

  test('is as small as its keys allow', () => {
    marksOf(['one word'])
    expect(filter.whole()).toHaveLength(SECTIONS * 8)
    marksOf(Array.from({ length: 2_000 }, (_, index) => `id-${index * 7_919 + 1_000_000}`))
    const sizes = filter.sections().map(section => section.length / 8)
    expect(Math.max(...sizes)).toBeGreaterThan(8)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(128)
  })

  test('few words that are nowhere are in it by chance', () => {
    marksOf(Array.from({ length: 8_000 }, (_, index) => `trace ${hexadecimal(index)} took ${index % 977} ms`))
    const sections = filter.sections()
    const found = Array.from({ length: 2_000 }, (_, index) =>
      has(sections, keysOfTerm(hexadecimal(index + 1_000_000)).slice(0, 1)),
    )
    expect(found.filter(Boolean).length).toBeLessThan(200)
    expect(has(sections, keysOfTerm(hexadecimal(77)))).toBe(true)
  })
})

describe('a text is marked', () => {
  test.each([
    ['plain {"a":{"b":{}}}', 0],
    ['a backslash \\', TEXT_MARK.escaped],
    ['{{{', 0],
    [`{${' '.repeat(100)}{${' '.repeat(100)}{{`, TEXT_MARK.nested],
    ['ſtart', TEXT_MARK.folded],
    [`${'-'.repeat(63)}ſ`, TEXT_MARK.folded],
    [`${'-'.repeat(62)}\u212a`, TEXT_MARK.folded],
    ['“quoted” – Å', 0],
    ['\\\u212a', TEXT_MARK.escaped | TEXT_MARK.folded],
  ])('%j: %i', (each, mark) => {
    expect(marksOf(['', each, 'x'])).toEqual([0, mark, 0])
  })
})

function hexadecimal(index: number): string {
  return (BigInt(index) * 0x9e3779b97f4a7c15n + 0x1234567890abcdefn).toString(16).slice(-16).padStart(16, '0')
}
