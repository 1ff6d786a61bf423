import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAddress, parseCidrBlocks } from './cidr.ts'

const ipv4 = fc.ipV4()
const ipv6 = fc.ipV6()
/** Parts of addresses, in which leading zeros, zones, hexadecimal and other digits are odd. */
const odd = fc
  .array(
    fc.constantFrom(
      ...['0', '7', '255', '256', '01', '0x1', '1e1', '٣', 'ffff', 'FFFF', 'abcd', '00001', 'g', ''],
      ...['.', '.', '.', ':', ':', '::', '%eth0', '%', '-', ' ', '\n', '/64', '1.2.3.4', '::ffff:', '127.1'],
    ),
    { maxLength: 18 },
  )
  .map(parts => parts.join(''))

test('texts are addresses exactly if Node accepts them without a zone', () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6, odd), text => {
      expect(parseAddress(text) !== undefined).toBe(isIP(text) !== 0 && !text.includes('%'))
    }),
    { numRuns: 20_000 },
  )
})

test.each([
  ['ipv4', ipv4, 32],
  ['ipv6', ipv6, 128],
] as const)('an address of %s is in a block exactly if it is for Node', (family, addresses, most) => {
  fc.assert(
    fc.property(
      addresses,
      addresses,
      fc.integer({ min: 0, max: most }),
      fc.boolean(),
      (network, other, bits, isNear) => {
        // The addresses differ in one bit, or in nearly all of them.
        const address = isNear ? withBitFlipped(network, family, bits % most) : other
        const list = new BlockList()
        list.addSubnet(network, bits, family)
        expect(parseCidrBlocks(`${network}/${bits}`)?.contain(address)).toBe(list.check(address, family))
      },
    ),
    { numRuns: 20_000 },
  )
})

test.each([
  ['::26.153.38.216/120', '::1a99:26d8', true],
  ['::26.153.38.216/120', '::ffff:26.153.38.216', false],
  ['10.0.0.0/8', '::ffff:10.0.0.1', false],
  ['::ffff:10.0.0.0/104', '10.0.0.1', false],
  ['::01.2.3.4', '::1.2.3.4', undefined],
  ['10.0.0.0/08', '10.0.0.1', undefined],
])('%s and %s', (block, address, expected) => {
  expect(parseCidrBlocks(block)?.contain(address)).toBe(expected)
})

function withBitFlipped(text: string, family: 'ipv4' | 'ipv6', bit: number): string {
  const groups = parseAddress(text) as Uint16Array
  groups[bit >> 4] = (groups[bit >> 4] as number) ^ (0x8000 >> (bit & 15))
  if (family === 'ipv6') return [...groups].map(group => group.toString(16)).join(':')
  return [...groups].flatMap(group => [group >> 8, group & 255]).join('.')
}
