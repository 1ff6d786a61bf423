import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../../engine/clock/manual-clock.ts'
import { commandWorld, impatientClock } from '../../../test/support/command-world.ts'
import { type IngestStandIn, ingestStandIn } from '../../../test/support/ingest-stand-in.ts'
import { CommandError } from '../command-error.ts'
import { Delivery, type Request, Stopped } from './delivery.ts'

let service: IngestStandIn
beforeEach(async () => {
  service = await ingestStandIn()
})
afterEach(() => service.close())

const REQUEST: Request = {
  body: '{"lines":[{"line":"good"},{"line":"bad"}]}',
  lines: 2,
  idempotencyKey: 'stream/0',
  host: 'web 1',
  tags: 'a,b',
}

function delivery(retryForMs = Number.POSITIVE_INFINITY, value = 'key') {
  const clock = impatientClock()
  const world = commandWorld({ clock })
  const address = { url: service.url, secret: { value, origin: 'WEIR_INGESTION_KEY' } }
  return { clock, world, delivery: new Delivery({ address, world, retryForMs }) }
}

describe('a batch on its way', () => {
  test('carries key, host, tags, clock and idempotency key', async () => {
    const { delivery: sender, clock } = delivery()
    expect(await sender.send(REQUEST)).toEqual({ kind: 'taken', refused: 0 })
    const [request] = service.requests
    expect(Object.fromEntries(request!.url.searchParams)).toEqual({
      hostname: 'web 1',
      tags: 'a,b',
      now: String(clock.wallMs()),
    })
    expect(request!.headers).toMatchObject({
      apikey: 'key',
      'content-encoding': 'gzip',
      'idempotency-key': 'stream/0',
    })
  })

  test('carries an access token in the header for access tokens', async () => {
    const token = `sts_${'0a'.repeat(20)}`
    await delivery(0, token).delivery.send(REQUEST)
    expect(service.requests[0]?.headers).toMatchObject({ authorization: `Token ${token}` })
    expect(service.requests[0]?.headers).not.toHaveProperty('apikey')
  })

  test.each([408, 429, 500, 501, 502, 503, 504, 505, 507, 522])(
    'is sent again after %i, with the same bytes',
    async status => {
      service.plan.push({ status }, { status })
      const { delivery: sender } = delivery()
      expect(await sender.send(REQUEST)).toEqual({ kind: 'taken', refused: 0 })
      expect(service.requests.map(request => [request.key, request.body])).toEqual(
        Array.from({ length: 3 }, () => ['stream/0', REQUEST.body]),
      )
    },
  )

  test('is stored once when the connection broke after it was stored', async () => {
    service.plan.push('store and break', 'break')
    await delivery().delivery.send(REQUEST)
    expect(service.requests).toHaveLength(3)
    expect(service.stored).toEqual(['good', 'bad'])
  })

  test.each([400, 409, 422])('is not sent again after %i', async status => {
    service.plan.push({ status, body: { error: 'a reason', code: 'BadRequest' } })
    const reply = await delivery().delivery.send(REQUEST)
    expect(reply.kind).toBe(status === 409 ? 'key-conflict' : 'refused')
    expect(reply).toHaveProperty('sentence', expect.stringContaining('a reason'))
    expect(service.requests).toHaveLength(1)
  })

  test('names the credential when the service does not accept it, and ends the run', async () => {
    service.plan.push({ status: 401 })
    await expect(delivery().delivery.send(REQUEST)).rejects.toThrow(/WEIR_INGESTION_KEY/)
  })

  test('does not follow a redirect, which would turn the request into another one', async () => {
    service.plan.push({ status: 302, headers: { location: `${service.url}/elsewhere` } })
    await expect(delivery().delivery.send(REQUEST)).rejects.toThrow(CommandError)
    expect(service.requests).toHaveLength(1)
  })

  test('with 207 counts the refused lines', async () => {
    service.plan.push('refuse bad lines')
    expect(await delivery().delivery.send(REQUEST)).toEqual({ kind: 'taken', refused: 1 })
    expect(service.stored).toEqual(['good'])
  })

  test('with an unreadable 207 counts every line as refused', async () => {
    service.plan.push({ status: 207, body: 'what?' })
    expect(await delivery().delivery.send(REQUEST)).toEqual({ kind: 'taken', refused: 2 })
  })
})

describe('pauses between attempts', () => {
  test('double up to 30 s, each between half and whole', async () => {
    service.plan.push(...Array.from({ length: 12 }, () => ({ status: 503 })))
    const { delivery: sender, clock } = delivery()
    await sender.send(REQUEST)
    for (const [attempt, ms] of clock.slept.entries()) {
      const fullMs = Math.min(30_000, 250 * 2 ** attempt)
      expect(ms).toBeGreaterThanOrEqual(fullMs / 2)
      expect(ms).toBeLessThanOrEqual(fullMs)
    }
    expect(clock.slept).toHaveLength(12)
  })

  test('are as long as retry-after requests, in seconds or as a date, but at most five minutes', async () => {
    const { delivery: sender, clock } = delivery()
    const date = new Date(clock.wallMs() + 20_000 + 7_000).toUTCString()
    for (const after of ['7', date, '86400', 'soon'])
      service.plan.push({ status: 503, headers: { 'retry-after': after } })
    await sender.send(REQUEST)
    expect(clock.slept[0]).toBe(7_000)
    expect(clock.slept[1]).toBeGreaterThan(19_000)
    expect(clock.slept[1]).toBeLessThanOrEqual(20_000)
    expect(clock.slept[2]).toBe(300_000)
    expect(clock.slept[3]).toBeLessThanOrEqual(2_000)
  })

  test('end with the patience: the last attempt is made at that moment', async () => {
    service.plan.push(...Array.from({ length: 50 }, () => ({ status: 503 })))
    const { delivery: sender, clock } = delivery(10_000)
    const startMs = clock.monotonicMs()
    await expect(sender.send(REQUEST)).rejects.toThrow(/does not accept lines now \(HTTP 503\)/)
    expect(clock.monotonicMs() - startMs).toBe(10_000)
  })

  test('an unavailable service is named, with the remedy', async () => {
    const { url } = service
    await service.close()
    service = await ingestStandIn()
    const world = commandWorld()
    const sender = new Delivery({
      address: { url, secret: { value: 'k', origin: 'o' } },
      world,
      retryForMs: 0,
    })
    await expect(sender.send(REQUEST)).rejects.toThrow(
      `Nothing answers at ${url}. Start the server with "npm start"`,
    )
  })
})

describe('after a request to stop', () => {
  test('a request that would be sent again is given up at once', async () => {
    service.plan.push({ status: 503 })
    const { delivery: sender, world } = delivery()
    world.stopNow()
    await expect(sender.send(REQUEST)).rejects.toThrow(Stopped)
  })

  test('a running request may still be answered', async () => {
    const world = commandWorld({ clock: manualClock() })
    const address = { url: service.url, secret: { value: 'key', origin: 'x' } }
    const sender = new Delivery({ address, world, retryForMs: 0 })
    const reply = sender.send(REQUEST)
    world.stopNow()
    expect(await reply).toEqual({ kind: 'taken', refused: 0 })
  })

  test('a request without an answer is given up after 5 s', async () => {
    const clock = manualClock()
    const world = commandWorld({ clock })
    const address = { url: service.url, secret: { value: 'key', origin: 'x' } }
    const sender = new Delivery({ address, world, retryForMs: Number.POSITIVE_INFINITY })
    service.plan.push('hang')
    const reply = sender.send(REQUEST)
    await service.arrived(1)
    world.stopNow()
    clock.advance(5_000)
    await expect(reply).rejects.toThrow(Stopped)
  })
})
