import { expect, test } from 'vitest'
import { decompressSnappy, SnappyError, snappyLength } from './snappy.ts'

const block = (...bytes: (number | string)[]) =>
  Buffer.concat(bytes.map(each => (typeof each === 'string' ? Buffer.from(each) : Buffer.from([each]))))

test('literals of any length, and copies by one, two and four bytes, are decompressed', () => {
  expect(decompressSnappy(block(0)).toString()).toBe('')
  expect(decompressSnappy(block(3, 2 << 2, 'abc')).toString()).toBe('abc')
  const long = 'x'.repeat(300)
  expect(decompressSnappy(block(0xac, 0x02, 61 << 2, 0x2b, 0x01, long)).toString()).toBe(long)
  expect(decompressSnappy(block(65, 60 << 2, 64, 'y'.repeat(65))).toString()).toBe('y'.repeat(65))
  // Four bytes are announced, and five follow.
  expect(decompressSnappy(block(9, 4 << 2, 'abcde', 1, 5)).toString()).toBe('abcdeabcd')
  // A copy that overlaps itself.
  expect(decompressSnappy(block(10, 0, 'z', (8 << 2) | 2, 1, 0)).toString()).toBe('z'.repeat(10))
  expect(decompressSnappy(block(6, 2 << 2, 'abc', (2 << 2) | 3, 3, 0, 0, 0)).toString()).toBe('abcabc')
  // Its distance takes eleven bits.
  const far = 'a'.repeat(300)
  expect(decompressSnappy(block(0xb0, 0x02, 61 << 2, 0x2b, 0x01, far, (1 << 5) | 1, 44)).toString()).toBe(
    'a'.repeat(304),
  )
})

test.each([
  ['nothing', block()],
  ['a length without an end', block(0xff, 0xff, 0xff, 0xff, 0xff, 0xff)],
  ['less than it says', block(5, 2 << 2, 'abc')],
  ['more than it says', block(2, 2 << 2, 'abc')],
  ['a literal that ends early', block(5, 4 << 2, 'abc')],
  ['a copy from before the beginning', block(5, 0, 'a', 1, 2)],
  ['a copy from nowhere', block(5, 0, 'a', 1, 0)],
  ['a copy beyond the end', block(3, 0, 'a', (8 << 2) | 2, 1, 0)],
  ['a copy without its distance', block(5, 0, 'a', (3 << 2) | 2, 1)],
])('%s is refused', (_name, damaged) => {
  expect(() => decompressSnappy(damaged)).toThrow(SnappyError)
})

test('the length is known before anything is decompressed', () => {
  expect(snappyLength(block(0x80, 0x80, 0x80, 0x01))).toBe(2 ** 21)
})
