/** An IP address as 16-bit groups: two of them for IPv4, eight for IPv6. */
export type Address = Uint16Array

/** A block of addresses with a common prefix. */
export interface CidrBlock {
  readonly network: Address
  readonly bits: number
}

const IPV4_GROUPS = 2
const IPV6_GROUPS = 8
const DECIMAL_PART = /^(?:0|[1-9]\d{0,2})$/
const HEX_GROUP = /^[0-9A-Fa-f]{1,4}$/

/** A text of this length is read once for all partitions: it takes a tenth of a millisecond or more. */
const LONG_CHARACTERS = 1_000
const MAX_LONG_TEXTS = 16
/** Blocks of long texts, those read first at the front. */
const LONG_TEXTS = new Map<string, CidrBlocks>()

/**
 * Address blocks, checked and parsed once: components, section 3.3. They become ranges of addresses in order, so that a
 * lookup takes a few comparisons however many blocks there are.
 */
export interface CidrBlocks {
  /** @returns undefined when the text is not an IP address */
  contain(text: string): boolean | undefined
}

/**
 * @param text one or more blocks or plain addresses, separated by commas. IPv4 addresses are never inside IPv6 blocks,
 *   nor the reverse
 * @returns undefined when an entry is neither
 */
export function parseCidrBlocks(text: string): CidrBlocks | undefined {
  if (text.length < LONG_CHARACTERS) return readBlocks(text)
  const known = LONG_TEXTS.get(text)
  if (known !== undefined) return known
  const read = readBlocks(text)
  if (read === undefined) return undefined
  const [oldest] = LONG_TEXTS.keys()
  if (LONG_TEXTS.size >= MAX_LONG_TEXTS && oldest !== undefined) LONG_TEXTS.delete(oldest)
  LONG_TEXTS.set(text, read)
  return read
}

function readBlocks(text: string): CidrBlocks | undefined {
  const blocks: CidrBlock[] = []
  for (const part of text.split(',')) {
    const block = parseBlock(part.trim())
    if (block === undefined) return undefined
    blocks.push(block)
  }
  const ranges = [IPV4_GROUPS, IPV6_GROUPS].map(
    groups =>
      new AddressRanges(
        groups,
        blocks.filter(({ network }) => network.length === groups),
      ),
  )
  return {
    contain: candidate => {
      const address = parseAddress(candidate)
      return address && (ranges[address.length === IPV4_GROUPS ? 0 : 1] as AddressRanges).contain(address)
    },
  }
}

/** Addresses of the same length that are in at least one of some blocks. */
class AddressRanges {
  readonly #groups: number
  readonly #count: number
  /** First and last address of each range, ascending, one after the other; ranges do not overlap. */
  readonly #bounds: Uint16Array

  constructor(groups: number, blocks: readonly CidrBlock[]) {
    const ranges: AddressRange[] = []
    for (const range of blocks.map(rangeOf).sort((one, other) => compared(one.first, other.first))) {
      const before = ranges.at(-1)
      if (before === undefined || compared(before.last, range.first) < 0) ranges.push(range)
      else if (compared(before.last, range.last) < 0) before.last = range.last
    }
    this.#groups = groups
    this.#count = ranges.length
    this.#bounds = new Uint16Array(2 * groups * ranges.length)
    for (const [index, { first, last }] of ranges.entries()) {
      this.#bounds.set(first, 2 * index * groups)
      this.#bounds.set(last, (2 * index + 1) * groups)
    }
  }

  contain(address: Address): boolean {
    let from = 0
    let to = this.#count
    while (from < to) {
      const middle = (from + to) >> 1
      if (compared(address, this.#bounds, 2 * middle * this.#groups) < 0) to = middle
      else from = middle + 1
    }
    return from > 0 && compared(address, this.#bounds, (2 * from - 1) * this.#groups) <= 0
  }
}

interface AddressRange {
  readonly first: Address
  last: Address
}

function rangeOf({ network, bits }: CidrBlock): AddressRange {
  const first = network.slice()
  const last = network.slice()
  for (let group = 0; group < network.length; group++) {
    const host = 0xffff >> Math.min(16, Math.max(0, bits - group * 16))
    first[group] = (network[group] as number) & ~host
    last[group] = (network[group] as number) | host
  }
  return { first, last }
}

/**
 * @param at place of the second address
 * @returns a number below, equal to or above 0, as the first address is before, equal to or after the second
 */
function compared(one: Address, other: Uint16Array, at = 0): number {
  for (let group = 0; group < one.length; group++) {
    const difference = (one[group] as number) - (other[at + group] as number)
    if (difference !== 0) return difference
  }
  return 0
}

/** @returns undefined when the text is neither a block nor an address */
export function parseBlock(text: string): CidrBlock | undefined {
  const [addressText = '', bitsText, ...surplus] = text.split('/')
  const network = parseAddress(addressText)
  if (network === undefined || surplus.length > 0) return undefined
  const maxBits = network.length * 16
  if (bitsText === undefined) return { network, bits: maxBits }
  const bits = DECIMAL_PART.test(bitsText) ? Number(bitsText) : Number.NaN
  return bits <= maxBits ? { network, bits } : undefined
}

export function isInBlock(address: Address, { network, bits }: CidrBlock): boolean {
  if (address.length !== network.length) return false
  for (let group = 0; group * 16 < bits; group++) {
    const relevant = Math.min(16, bits - group * 16)
    const difference = (address[group] as number) ^ (network[group] as number)
    if (difference >>> (16 - relevant) !== 0) return false
  }
  return true
}

/**
 * Zones (`fe80::1%eth0`), leading zeros and short forms of IPv4 are not accepted: their meaning differs between programs.
 *
 * The parser is the project's own, because results must never change and the fold must not reach `node:net`. The package
 * `ipaddr.js` accepts `::01.2.3.4`, and reads `::1.2.3.4` as `::ffff:1.2.3.4`.
 */
export function parseAddress(text: string): Address | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text)
}

function parseIpv4(text: string): Address | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  const groups = new Uint16Array(IPV4_GROUPS)
  for (const [index, part] of parts.entries()) {
    if (!DECIMAL_PART.test(part) || Number(part) > 255) return undefined
    groups[index >> 1] = ((groups[index >> 1] as number) << 8) | Number(part)
  }
  return groups
}

function parseIpv6(text: string): Address | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = parseGroups(halves[0] as string, halves.length === 1)
  const tail = halves.length === 1 ? [] : parseGroups(halves[1] as string, true)
  if (head === undefined || tail === undefined) return undefined
  const missing = IPV6_GROUPS - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  return Uint16Array.from([...head, ...new Array<number>(missing).fill(0), ...tail])
}

/** Groups between colons; only the very last may be a dotted IPv4 address. */
function parseGroups(text: string, last: boolean): number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    if (HEX_GROUP.test(part)) {
      groups.push(Number.parseInt(part, 16))
      continue
    }
    const dotted = last && index === parts.length - 1 ? parseIpv4(part) : undefined
    if (dotted === undefined) return undefined
    groups.push(...dotted)
  }
  return groups
}
