import { expect, test } from 'vitest'
import { DESTINATION_CASES } from '../../../test/support/receivers/cases.ts'
import { SENDING_BY_HTTP, sendingNode } from '../../../test/support/sending-node.ts'
import { manualClock } from '../../clock/manual-clock.ts'
import type { HttpAnswer, HttpRequest } from '../../outbound/http-exchange.ts'
import type { KafkaOutcome, KafkaProduction } from '../../outbound/kafka-exchange.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { DestinationChecks } from './destination-checks.ts'

const OWNER = 'account'
const URI = 'https://events.example.com/in'

/** Checks whose requests get the answers of the test. */
function checking(answer: () => HttpAnswer | KafkaOutcome) {
  const requests: HttpRequest[] = []
  const productions: KafkaProduction[] = []
  const outbound = {
    request: async (request: HttpRequest) => {
      requests.push(request)
      return answer() as HttpAnswer
    },
    produce: async (production: KafkaProduction) => {
      productions.push(production)
      return answer() as KafkaOutcome
    },
  }
  return { checks: new DestinationChecks(outbound, manualClock()), requests, productions }
}

const httpNode = () => sendingNode('http', { uri: URI, encoding: 'json' })
const answered = (status: number, body = ''): HttpAnswer => ({ status, headers: {}, body })

test.each(SENDING_BY_HTTP.map(({ type }) => type))('a check of %s sends an empty request', async type => {
  const given = DESTINATION_CASES.find(each => each.type === type)
  const { destination, config } = sendingNode(type, given?.config ?? {})
  const { checks, requests } = checking(() => answered(200))
  expect(await checks.check(destination, config, OWNER)).toEqual({ kind: 'accepted', status: 200, text: '' })
  const [request, ...others] = requests
  expect(others).toEqual([])
  expect(request).toMatchObject({ owner: OWNER, body: Buffer.alloc(0) })
  expect(Object.keys(request?.headers ?? {})).not.toContain('idempotency-key')
  // An empty request that writes would make an empty object.
  const keepsObjects = /storage|^s3$/.test(type)
  expect(/^(HEAD|GET)$/.test(request?.method ?? '')).toBe(keepsObjects)
})

test('the answer says whether the credentials are refused', async () => {
  const { destination, config } = httpNode()
  for (const [status, kind] of [
    [204, 'accepted'],
    [302, 'answered'],
    [400, 'answered'],
    [503, 'answered'],
    [401, 'refused'],
    [403, 'refused'],
    [407, 'refused'],
  ] as const) {
    const { checks } = checking(() => answered(status, 'why'))
    expect(await checks.check(destination, config, OWNER)).toEqual({ kind, status, text: 'why' })
  }
})

test('no answer is one and the same, whatever the reason', async () => {
  const { destination, config } = httpNode()
  for (const code of [
    'DENIED',
    'UNRESOLVED',
    'NOT_CONNECTED',
    'NOT_VERIFIED',
    'TIMED_OUT',
    'BROKEN',
  ] as const) {
    const { checks } = checking(() => {
      throw new OutboundError(code, 'the secret place')
    })
    expect(await checks.check(destination, config, OWNER)).toEqual({ kind: 'silent', status: null, text: '' })
  }
})

test('secrets that an answer repeats are hidden', async () => {
  const { destination, config } = sendingNode('http', {
    uri: URI,
    encoding: 'json',
    auth: { strategy: 'bearer', token: 'a-secret-token' },
  })
  const { checks } = checking(() => answered(401, 'no token a-secret-token here'))
  const outcome = await checks.check(destination, config, OWNER)
  expect(outcome).toMatchObject({ kind: 'refused', text: 'no token [hidden] here' })
})

test('a check of a cluster of Kafka writes no record', async () => {
  const { destination, config } = sendingNode('kafka', {
    brokers: [{ host: 'kafka.example.com', port: 9093 }],
    topic: 'logs',
  })
  for (const [outcome, kind, text] of [
    [{ error: null }, 'accepted', ''],
    [{ error: 'SASL_AUTHENTICATION_FAILED' }, 'refused', 'SASL_AUTHENTICATION_FAILED'],
    [{ error: 'UNKNOWN' }, 'answered', 'UNKNOWN'],
    [{ failure: 'NOT_CONNECTED' }, 'silent', ''],
  ] as const) {
    const { checks, productions } = checking(() => outcome)
    expect(await checks.check(destination, config, OWNER)).toEqual({ kind, status: null, text })
    expect(productions.map(({ records }) => records)).toEqual([[]])
  }
})
