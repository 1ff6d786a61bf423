import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyedDigest } from './keyed-digest.ts'

test('the digest is that of createHmac, for texts of changing lengths', () => {
  const text = fc.string({ unit: 'binary', maxLength: 600 })
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      fc.array(text, { maxLength: 9 }),
      (key, texts) => {
        const digest = new KeyedDigest(Buffer.from(key))
        for (const each of texts)
          expect(digest.of(each).equals(createHmac('sha256', key).update(each).digest())).toBe(true)
      },
    ),
  )
})

test('a key that does not fit into a block is refused', () => {
  expect(() => new KeyedDigest(Buffer.alloc(65))).toThrow('the key has 65 bytes, not at most 64')
})
