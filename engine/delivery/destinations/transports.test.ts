import { expect, test } from 'vitest'
import { manualClock } from '../../clock/manual-clock.ts'
import type { HttpAnswer } from '../../outbound/http-exchange.ts'
import type { KafkaOutcome, KafkaProduction } from '../../outbound/kafka-exchange.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { transportsOf } from './transports.ts'

const { signal } = new AbortController()
const REQUEST = { method: 'POST', url: 'https://a.example/', headers: {}, body: Buffer.from('four') }
const PRODUCTION: KafkaProduction = {
  ...{ brokers: [{ host: 'k.example', port: 9092 }], topic: 't', compression: 'none', stickiness: 's' },
  records: [
    { key: 'ä', value: 'one', headers: {}, timestampMs: 0 },
    { key: null, value: 'two', headers: {}, timestampMs: 0 },
  ],
}

function carrying(transport: string, request: unknown, answer: () => HttpAnswer, produced: KafkaOutcome) {
  const outbound = { request: async () => answer(), produce: async () => produced }
  return transportsOf(outbound, manualClock(0)).get(transport)?.(request, 'a', signal)
}

const byHttp = (answer: () => HttpAnswer) => carrying('http', REQUEST, answer, { error: null })

test('an answer by HTTP has a status, a text, and perhaps a pause', async () => {
  const answer = { status: 503, headers: { 'retry-after': '7' }, body: 'busy' }
  expect(await byHttp(() => answer)).toEqual({
    ...{ outcome: answer, bytes: 4, status: 503, text: 'busy', pauseMs: 7_000 },
    trouble: 'The server answered 503',
  })
})

test('a connection that failed is an outcome, and any other error is none', async () => {
  const failing = (error: Error) =>
    byHttp(() => {
      throw error
    })
  expect(await failing(new OutboundError('TIMED_OUT', 'of the network'))).toMatchObject({
    ...{ outcome: { failure: 'TIMED_OUT' }, status: null, trouble: 'The server did not answer in time' },
  })
  await expect(failing(new Error('a defect'))).rejects.toThrow('a defect')
})

test('records are carried by the connections of their account', async () => {
  const carried: KafkaProduction[] = []
  const outbound = {
    request: () => Promise.reject(new Error('it is no request by HTTP')),
    produce: async (production: KafkaProduction) => {
      carried.push(production)
      return { error: null }
    },
  }
  const transports = transportsOf(outbound, manualClock(0))
  for (const account of ['a', 'b']) await transports.get('kafka')?.(PRODUCTION, account, signal)
  expect(carried.map(({ owner }) => owner)).toEqual(['a', 'b'])
})

test.each([
  [{ error: null }, ''],
  [{ error: 'NOT_LEADER_FOR_PARTITION' }, 'The cluster answered NOT_LEADER_FOR_PARTITION'],
  [{ failure: 'NOT_CONNECTED' as const }, 'No connection to the server was possible'],
])('an answer of a cluster has no status: %o', async (produced, trouble) => {
  const unasked = () => {
    throw new Error('it is no request by HTTP')
  }
  expect(await carrying('kafka', PRODUCTION, unasked, produced)).toEqual({
    ...{ outcome: produced, bytes: 8, status: null, text: '', pauseMs: 0, trouble },
  })
})
