import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CidrBlock, isInBlock, parseAddress, parseBlock, parseCidrBlocks } from './cidr.ts'

/** Addresses that are close to each other, so that blocks meet and overlap. */
const byte = fc.constantFrom(0, 1, 2, 127, 128, 254, 255)
const ipv4 = fc.tuple(byte, byte, byte, byte).map(parts => parts.join('.'))
const group = fc.constantFrom('0', '1', '7fff', '8000', 'fffe', 'ffff')
const ipv6 = fc.array(group, { minLength: 8, maxLength: 8 }).map(parts => parts.join(':'))
const block = fc.oneof(
  fc.tuple(ipv4, fc.option(fc.nat(32), { nil: undefined })),
  fc.tuple(ipv6, fc.option(fc.nat(128), { nil: undefined })),
)

test('an address is in a list of blocks exactly if it is in one of them', () => {
  fc.assert(
    fc.property(
      fc.array(block, { minLength: 1, maxLength: 60, size: 'max' }),
      fc.oneof(ipv4, ipv6),
      (drawn, text) => {
        const texts = drawn.map(([address, bits]) => (bits === undefined ? address : `${address}/${bits}`))
        const address = parseAddress(text)
        if (address === undefined) throw new Error(text)
        const isInOne = texts.some(each => isInBlock(address, parseBlock(each) as CidrBlock))
        expect(parseCidrBlocks(texts.join(', '))?.contain(text)).toBe(isInOne)
      },
    ),
  )
})

test('a lookup among a hundred thousand blocks takes no longer than among a few', () => {
  const texts = Array.from(
    { length: 100_000 },
    (_, index) => `10.${(index >> 8) & 255}.${index & 255}.${index % 7}`,
  )
  const blocks = parseCidrBlocks(texts.join(','))
  // One after the other it would be a billion comparisons.
  for (let round = 0; round < 10_000; round++) expect(blocks?.contain('11.0.0.1')).toBe(false)
  expect(blocks?.contain('10.0.1.1')).toBe(true)
})

test('a long text with a mistake is refused, also the second time', () => {
  const text = `${'10.0.0.0/8,'.repeat(200)}10.0.0.256`
  expect([parseCidrBlocks(text), parseCidrBlocks(text)]).toEqual([undefined, undefined])
})
