import { expect, test } from 'vitest'
import { Event } from '../../../event/event.ts'
import { http } from './http.ts'
import { type httpPace, httpRequests } from './http-request.ts'

const URI = 'https://events.example.com/in'
const BATCH = {
  ...{ id: '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10', eventIds: ['1'], closedMs: 0 },
  events: [Event.of({ a: 1 }, {}, '2031-03-09T08:15:30.250Z')],
}

function requestOf(config: Parameters<typeof httpPace>[0]) {
  const [first] = httpRequests(BATCH, config)
  return first?.request
}

test('own headers win, whatever their case, except for two', () => {
  const headers = [
    'Content-Type',
    'CONTENT-ENCODING',
    'Idempotency-Key',
    'authorization',
    'Host',
    'content-Length',
  ]
  const own = headers.map(name => ({ header_name: name, header_value: `own ${name.toLowerCase()}` }))
  const auth = { strategy: 'bearer', token: 't' } as const
  expect(requestOf({ uri: URI, compression: 'gzip', auth, headers: own })?.headers).toEqual({
    'content-type': 'own content-type',
    'content-encoding': 'own content-encoding',
    'idempotency-key': 'own idempotency-key',
    authorization: 'own authorization',
  })
})

test('protocols, time and proxy reach the connection; a proxy that is off does not', () => {
  const proxy = { endpoint: 'http://proxy.example:3128', hosts_bypass_proxy: ['.internal'] }
  const advanced = { timeout_secs: 9, tls_protocols: ['h2'], proxy: { ...proxy, enabled: true } }
  expect(requestOf({ uri: URI, advanced_options: advanced })?.connection).toEqual({
    ...{ timeoutMs: 9_000, protocols: ['h2'] },
    proxy: { endpoint: 'http://proxy.example:3128', bypass: ['.internal'] },
  })
  const off = { proxy: { ...proxy, enabled: false } }
  expect(requestOf({ uri: URI, advanced_options: off })?.connection).toBeUndefined()
})

test('a revision with a longer time-out than can be published has the longest one', () => {
  const config = { uri: URI, advanced_options: { timeout_secs: 5_000_000 } }
  expect(requestOf(config)?.connection).toEqual({ timeoutMs: 600_000 })
})

test('requests are as many per span as the options say', () => {
  const paceOf = (limiting: object) =>
    http.pace?.({ uri: URI, advanced_options: { rate_limiting: { ...limiting } } })
  expect(paceOf({ request_limit: 100, duration_secs: 60 })).toEqual({ requests: 100, perMs: 60_000 })
  expect(paceOf({ request_limit: 5 })).toEqual({ requests: 5, perMs: 1_000 })
  expect(paceOf({ duration_secs: 60 })).toBeUndefined()
})
