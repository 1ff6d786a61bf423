import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { NetworkAddress } from '../../outbound/outbound.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { LostServers } from './lost-servers.ts'

const LANE = { account: 'a', pipeline: 'p', node: 'n' }
const CONFIG = { uri: 'https://a.example/in' }
const NOT_CONNECTED = { failure: 'NOT_CONNECTED' }
const REQUEST = { url: 'https://a.example/in' }
const { signal } = new AbortController()

/** Servers that are asked by connections, which fail with a code or succeed. */
function servers(code?: 'NOT_CONNECTED' | 'DENIED') {
  const asked: NetworkAddress[] = []
  const lost = new LostServers(async address => {
    asked.push(address)
    if (code !== undefined) throw new OutboundError(code, 'it failed')
    return new PassThrough()
  })
  return { lost, asked }
}

test('a server that accepts no connection is lost as long as that is so', async () => {
  const { lost, asked } = servers('NOT_CONNECTED')
  expect(await lost.isLost(LANE, CONFIG, signal)).toBe(false)
  lost.note(LANE, CONFIG, REQUEST, NOT_CONNECTED)
  expect([await lost.isLost(LANE, CONFIG, signal), await lost.isLost(LANE, CONFIG, signal)]).toEqual([
    true,
    true,
  ])
  expect(asked).toEqual([
    { host: 'a.example', port: 443 },
    { host: 'a.example', port: 443 },
  ])
  expect(await lost.isLost({ ...LANE, node: 'other' }, CONFIG, signal)).toBe(false)
})

test.each([undefined, 'DENIED'] as const)(
  'one that accepts a connection, or fails otherwise (%s), gets a request',
  async code => {
    const { lost, asked } = servers(code)
    lost.note(LANE, CONFIG, { url: 'http://[::1]:9/in' }, NOT_CONNECTED)
    expect([await lost.isLost(LANE, CONFIG, signal), await lost.isLost(LANE, CONFIG, signal)]).toEqual([
      false,
      false,
    ])
    expect(asked).toEqual([{ host: '::1', port: 9 }])
  },
)

test('a server is not asked after another outcome, with other options, or if a proxy or other servers may be asked', async () => {
  const { lost, asked } = servers('NOT_CONNECTED')
  const isLost = (config = CONFIG) => lost.isLost(LANE, config, signal)
  lost.note(LANE, CONFIG, REQUEST, NOT_CONNECTED)
  const found = [await isLost({ uri: 'https://b.example/in' }), await isLost()]
  const proxy = { host: 'proxy.example', port: 3128 }
  for (const [request, outcome] of [
    [REQUEST, { failure: 'TIMED_OUT' }],
    [{ ...REQUEST, connection: { proxy } }, NOT_CONNECTED],
    [{ ...REQUEST, otherUrls: ['https://c.example/in'] }, NOT_CONNECTED],
    [{ records: [] }, NOT_CONNECTED],
  ] as const) {
    lost.note(LANE, CONFIG, request, outcome)
    found.push(await isLost())
  }
  expect([...found, asked.length]).toEqual([...Array(6).fill(false), 0])
})

test('a wait for a connection ends with the signal', async () => {
  const ended = new AbortController()
  const lost = new LostServers(async () => {
    ended.abort('the end')
    throw new OutboundError('NOT_CONNECTED', 'it failed')
  })
  lost.note(LANE, CONFIG, REQUEST, NOT_CONNECTED)
  await expect(lost.isLost(LANE, CONFIG, ended.signal)).rejects.toBe('the end')
})
