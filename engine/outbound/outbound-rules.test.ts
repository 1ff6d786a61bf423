import { describe, expect, test } from 'vitest'
import { type CidrBlock, parseBlock } from '../addresses/cidr.ts'
import { type OutboundSettings, outboundRules } from './outbound-rules.ts'

const blocks = (...texts: string[]) => texts.map(text => parseBlock(text) as CidrBlock)

const SINGLE: OutboundSettings = {
  deny: [],
  allow: [],
  isCluster: false,
  ownPorts: () => new Set([8080, 8081]),
  servers: () => [
    { address: '10.4.0.9', port: 9092 },
    { address: '2001:db8:1::9', port: 8123 },
    { address: '127.0.0.1', port: 8124 },
  ],
  localAddresses: () => ['192.168.7.2', 'fe80::7%eth0', '2001:db8::7'],
}
const CLUSTER: OutboundSettings = { ...SINGLE, isCluster: true }

const isDenied = (settings: OutboundSettings, address: string, port = 9092) =>
  outboundRules(settings)(address, port) !== undefined

describe.each([
  ['alone, everything allowed', { ...SINGLE, allow: blocks('0.0.0.0/0', '::/0') }],
  ['in a cluster, everything allowed', { ...CLUSTER, allow: blocks('0.0.0.0/0', '::/0') }],
])('brokers, registry and store of the installation could be reached, %s', (_name, settings) => {
  test.each([
    ['10.4.0.9', 9092],
    ['::ffff:10.4.0.9', 9092],
    ['64:ff9b::10.4.0.9', 9092],
    ['2001:db8:1::9', 8123],
    ['127.0.0.1', 8124],
    ['127.8.8.8', 8124],
    ['192.168.7.2', 8124],
  ])('%s, port %i: refused', (address, port) => {
    expect(isDenied(settings, address, port)).toBe(true)
  })

  test.each([
    ['10.4.0.9', 8123],
    ['10.4.0.8', 9092],
    ['2001:db8:1::9', 9092],
    ['192.168.7.2', 9092],
    ['10.4.0.9', 8124],
  ])('%s, port %i: another listener', (address, port) => {
    expect(isDenied(settings, address, port)).toBe(false)
  })
})

describe.each<[string, OutboundSettings]>([
  ['alone', SINGLE],
  ['alone, everything allowed', { ...SINGLE, allow: blocks('0.0.0.0/0', '::/0', '169.254.169.254') }],
  ['in a cluster', CLUSTER],
  ['in a cluster, everything allowed', { ...CLUSTER, allow: blocks('0.0.0.0/0', '::/0', '169.254.169.254') }],
])('never, %s', (_name, settings) => {
  test.each([
    '169.254.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '0.1.2.3',
    '224.0.0.1',
    '239.255.255.250',
    '255.255.255.255',
    '240.0.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'ff02::1',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::ffff:0.0.0.0',
    '::ffff:0:169.254.169.254',
    '::169.254.169.254',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::169.254.169.254',
    '2002:a9fe:a9fe::1',
    '2001:0:1:2:3:4:5601:5601',
    'not-an-address',
    '',
  ])('%s', address => {
    expect(isDenied(settings, address)).toBe(true)
  })

  test.each([
    '127.0.0.1',
    '127.8.8.8',
    '::1',
    '::ffff:127.0.0.1',
    '192.168.7.2',
    '::ffff:c0a8:702',
    '2001:db8::7',
    '64:ff9b::192.168.7.2',
  ])('the own listeners at %s', address => {
    for (const port of [8080, 8081]) expect(isDenied(settings, address, port)).toBe(true)
  })
})

const PUBLIC = ['8.8.8.8', '169.253.255.255', '169.255.0.0', '223.255.255.255', '2a00::1', '2002:808:808::1']
const PRIVATE = ['127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.7.2', '100.64.0.1', '::1']
const PRIVATE_TOO = ['fd00::1', 'fec0::1', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3', '2002:a01:203::1']

test.each(PUBLIC)('%s is allowed alone and in a cluster', address => {
  expect([isDenied(SINGLE, address), isDenied(CLUSTER, address)]).toEqual([false, false])
  expect(isDenied(SINGLE, address, 8080)).toBe(false)
})

test.each([...PRIVATE, ...PRIVATE_TOO])('%s is allowed alone, and not in a cluster', address => {
  expect([isDenied(SINGLE, address), isDenied(CLUSTER, address)]).toEqual([false, true])
})

test.each(['172.15.255.255', '172.32.0.0', '100.128.0.0', '11.0.0.0', 'fe00::1', '::2:0:0'])(
  '%s is next to the private networks',
  address => expect(isDenied(CLUSTER, address)).toBe(false),
)

describe('the operator', () => {
  test('can allow a private network of a cluster, and no other', () => {
    const settings = { ...CLUSTER, allow: blocks('10.1.0.0/16', '::1') }
    expect(['10.1.2.3', '::ffff:10.1.2.3', '::1'].map(address => isDenied(settings, address))).toEqual([
      false,
      false,
      false,
    ])
    expect(['10.2.0.1', '127.0.0.1', 'fd00::1'].map(address => isDenied(settings, address))).toEqual([
      true,
      true,
      true,
    ])
  })

  test('can deny more addresses, including mapped ones', () => {
    const settings = { ...SINGLE, deny: blocks('10.0.0.0/8', '8.8.8.8') }
    expect(['10.1.2.3', '::ffff:10.1.2.3', '8.8.8.8'].map(address => isDenied(settings, address))).toEqual([
      true,
      true,
      true,
    ])
    expect(isDenied(settings, '8.8.4.4')).toBe(false)
  })

  test('is followed by the longest prefix, and by the denial if both are equally long', () => {
    const settings = {
      ...SINGLE,
      deny: blocks('0.0.0.0/0', '::/0', '10.0.0.7', '10.9.0.0/16'),
      allow: blocks('10.0.0.0/8', '10.9.0.0/16'),
    }
    expect(
      ['10.0.0.6', '10.0.0.7', '10.9.0.1', '8.8.8.8', '2a00::1'].map(each => isDenied(settings, each)),
    ).toEqual([false, true, true, true, true])
  })
})
