import fc from 'fast-check'
import { expect, test } from 'vitest'
import { capturedText, capturedUnits } from './captured-text.ts'

const LIMIT = 16_384

test.each([
  ['a', LIMIT],
  ['é', LIMIT / 2],
  ['€', 5_461],
  ['😀', LIMIT / 4],
])('a captured text of %s is cut to 16 KiB, and not within a character', (character, kept) => {
  expect(capturedText(character.repeat(kept))).toBe(character.repeat(kept))
  expect(capturedText(character.repeat(kept + 1))).toBe(character.repeat(kept))
  expect(capturedText(`${'a'.repeat(LIMIT - 1)}${character}`)).toHaveLength(
    character === 'a' ? LIMIT : LIMIT - 1,
  )
})

test('any captured text has at most 16 KiB, and is the beginning of the text', () => {
  const parts = fc.array(fc.constantFrom('a'.repeat(3_000), '€'.repeat(999), '😀'.repeat(501), 'é'), {
    maxLength: 20,
    size: 'max',
  })
  fc.assert(
    fc.property(parts, given => {
      const text = given.join('')
      const captured = capturedText(text)
      expect(Buffer.byteLength(captured)).toBeLessThanOrEqual(LIMIT)
      expect(text.startsWith(captured)).toBe(true)
      if (captured !== text) expect(Buffer.byteLength(captured)).toBeGreaterThan(LIMIT - 4)
    }),
  )
})

test('before the fourteenth behaviour a text of 16,384 units was kept, whatever its bytes', () => {
  expect(capturedUnits('€'.repeat(LIMIT + 1))).toBe('€'.repeat(LIMIT))
})
