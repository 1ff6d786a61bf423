import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodePageToken, encodePageToken, type PageToken } from './page-token.ts'

const TOKEN: PageToken = {
  startedMs: 1_700_000_000_000,
  position: {
    ts: 1_700_000_000_001,
    t: 1_700_000_000_002,
    topic: 2,
    partition: 4095,
    offset: '1099511627775',
    row: 5,
  },
}

const tokens: fc.Arbitrary<PageToken> = fc.record({
  startedMs: fc.maxSafeNat(),
  position: fc.record({
    ts: fc.maxSafeNat(),
    t: fc.maxSafeNat(),
    topic: fc.nat(2),
    partition: fc.nat(4095),
    offset: fc.bigInt(0n, 2n ** 40n - 1n).map(String),
    row: fc.nat(0xffffffff),
  }),
})

test('a token contains its position, in at most 512 URL-safe characters', () => {
  fc.assert(
    fc.property(tokens, fc.string(), (token, parameters) => {
      const text = encodePageToken(token, parameters)
      expect(text).toMatch(/^[A-Za-z0-9_-]{1,512}$/)
      expect(decodePageToken(text, parameters)).toEqual(token)
    }),
  )
})

test('a token does not belong to other parameters', () => {
  expect(decodePageToken(encodePageToken(TOKEN, 'a'), 'b')).toBeUndefined()
})

test('a token with any character changed, added or left out is refused', () => {
  const text = encodePageToken(TOKEN, 'a')
  for (let at = 0; at < text.length; at++) {
    const other = text[at] === 'A' ? 'B' : 'A'
    expect(decodePageToken(text.slice(0, at) + other + text.slice(at + 1), 'a'), String(at)).toBeUndefined()
    expect(decodePageToken(text.slice(0, at) + text.slice(at + 1), 'a'), String(at)).toBeUndefined()
    expect(decodePageToken(`${text.slice(0, at)}A${text.slice(at)}`, 'a'), String(at)).toBeUndefined()
  }
})

test('decoding of any text gives an answer', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      expect(decodePageToken(text, 'a')).toBeUndefined()
    }),
  )
})
