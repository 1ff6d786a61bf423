import { type Address, type CidrBlock, isInBlock, parseAddress, parseBlock } from '../addresses/cidr.ts'

/** An operator's settings for addresses that users name. */
export interface OutboundSettings {
  /** Blocks to which connections are refused. */
  readonly deny: readonly CidrBlock[]
  /** Blocks that are allowed although a shorter block of `deny` contains them. */
  readonly allow: readonly CidrBlock[]
  /** Whether loopback and private networks are forbidden, too: users of a cluster do not own its network. */
  readonly isCluster: boolean
  /** Ports on which this installation listens on this machine at present. */
  ownPorts(): ReadonlySet<number>
  /** Servers that this installation uses: brokers, schema registry and store. */
  servers(): readonly ResolvedAddress[]
  /** Addresses of this machine except loopback, at present. */
  localAddresses(): readonly string[]
}

/** IP address and port of a listener. */
export interface ResolvedAddress {
  readonly address: string
  readonly port: number
}

/** Returns why an address is refused, as a text that follows "because"; undefined when it is allowed. */
export type OutboundRules = (address: string, port: number) => string | undefined

const blocks = (...texts: readonly string[]): readonly CidrBlock[] =>
  texts.map(text => parseBlock(text) as CidrBlock)

/**
 * Blocks that no setting can allow: the machine itself under other names, its link-local neighbours, and multicast or broadcast.
 */
const NEVER: readonly (readonly [what: string, blocks: readonly CidrBlock[]])[] = [
  ['not an assigned address', blocks('0.0.0.0/8', '::/128')],
  ['link-local', blocks('169.254.0.0/16', 'fe80::/10')],
  ['multicast, broadcast or reserved', blocks('224.0.0.0/3', 'ff00::/8')],
  [
    // Metadata addresses that are not link-local: Alibaba, Azure, Oracle; Amazon and Google by IPv6.
    'the metadata of a cloud',
    blocks('100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'),
  ],
]

const PRIVATE = blocks(
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '192.0.0.0/24'],
  ...['198.18.0.0/15', '::1/128', 'fc00::/7', 'fec0::/10', '64:ff9b:1::/48'],
)

/** A mapped address is the IPv4 address itself under another name. */
const MAPPED = parseBlock('::ffff:0:0/96') as CidrBlock
/** IPv6 blocks that embed an IPv4 address: the 16-bit group at which it begins, and whether its bits are inverted. */
const EMBEDDING: readonly (readonly [block: CidrBlock, group: number, inverted: boolean])[] = (
  [
    ['::ffff:0:0:0/96', 6, false], // translated
    ['::/96', 6, false], // IPv4-compatible (deprecated)
    ['64:ff9b::/96', 6, false], // NAT64
    ['64:ff9b:1::/48', 6, false], // NAT64 with a local prefix
    ['2002::/16', 1, false], // 6to4
    ['2001::/32', 6, true], // Teredo
  ] as const
).map(([text, group, inverted]) => [parseBlock(text) as CidrBlock, group, inverted])
/** `::` and `::1` embed nothing. */
const LOCAL = parseBlock('::/127') as CidrBlock
const LOOPBACK = blocks('127.0.0.0/8', '::1/128')

/**
 * Judges addresses of connections. Fixed blocks are refused first. Then the longest matching block of `deny` and `allow` decides;
 * of equally long ones, that of `deny`. In a cluster, private networks need a block of `allow`. An IPv6 address that embeds an
 * IPv4 address is judged as both.
 */
export function outboundRules(settings: OutboundSettings): OutboundRules {
  return (text, port) => {
    const address = parseAddress(withoutZone(text))
    if (address === undefined) return 'it is not an address'
    if (isInBlock(address, MAPPED)) return verdict(settings, address.slice(6), port)
    const inner = embeddedIn(address)
    return verdict(settings, address, port) ?? (inner && verdict(settings, inner, port))
  }
}

function verdict(settings: OutboundSettings, address: Address, port: number): string | undefined {
  const { deny, allow, isCluster } = settings
  for (const [what, forbidden] of NEVER)
    if (forbidden.some(block => isInBlock(address, block))) return `it is ${what}`
  const isHere = isOfThisMachine(settings, address)
  if (isHere && settings.ownPorts().has(port)) return 'this installation listens there'
  if (settings.servers().some(server => server.port === port && isAt(settings, server, address, isHere)))
    return 'it is a server of this installation'
  const denied = longest(address, deny)
  const allowed = longest(address, allow)
  if (denied >= 0 && denied >= allowed) return 'WEIR_OUTBOUND_DENY contains it'
  if (isCluster && allowed < 0 && longest(address, PRIVATE) >= 0)
    return 'it is private, and WEIR_OUTBOUND_ALLOW does not contain it'
  return undefined
}

/** Whether a server has an address. One on this machine is reached at every address of the machine. */
function isAt(
  settings: OutboundSettings,
  server: ResolvedAddress,
  address: Address,
  isHere: boolean,
): boolean {
  const block = parseBlock(withoutZone(server.address))
  if (block === undefined) return false
  if (isInBlock(address, block)) return true
  const own = parseAddress(withoutZone(server.address))
  return isHere && own !== undefined && isOfThisMachine(settings, own)
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, '')
}

function isOfThisMachine({ localAddresses }: OutboundSettings, address: Address): boolean {
  const local = [...LOOPBACK, ...localAddresses().flatMap(text => parseBlock(withoutZone(text)) ?? [])]
  return local.some(block => isInBlock(address, block))
}

/** @returns the length of the longest matching block in bits; -1 without one */
function longest(address: Address, among: readonly CidrBlock[]): number {
  return Math.max(-1, ...among.filter(block => isInBlock(address, block)).map(({ bits }) => bits))
}

function embeddedIn(address: Address): Address | undefined {
  if (isInBlock(address, LOCAL)) return undefined
  const found = EMBEDDING.find(([block]) => isInBlock(address, block))
  if (found === undefined) return undefined
  const [, group, inverted] = found
  const embedded = address.slice(group, group + 2)
  return inverted ? embedded.map(bits => ~bits) : embedded
}
