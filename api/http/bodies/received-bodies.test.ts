import { PassThrough, Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../engine/clock/manual-clock.ts'
import { askerOfKey } from '../../../engine/turns/asker.ts'
import { type TestInstallation, testInstallation } from '../../../test/support/test-installation.ts'
import { ApiError } from '../errors.ts'
import { BodyRoom } from './body-room.ts'
import { type RawBody, ReceivedBodies } from './received-bodies.ts'

const LIMIT_BYTES = 100_000
/** Number of chunks of one byte whose padding of 255 bytes fits into the limit. */
const TINY_CHUNKS = Math.floor(LIMIT_BYTES / 255)

function openBodies(roomBytes = 10 * LIMIT_BYTES) {
  const clock = manualClock()
  const room = new BodyRoom(roomBytes)
  const bodies = new ReceivedBodies({ clock, limitBytes: LIMIT_BYTES, room })
  /** A body that is being sent: its stream, and its result once there is one. */
  const receive = (holder = askerOfKey('account')) => {
    const stream = new PassThrough()
    const sent: { stream: PassThrough; result?: RawBody | ApiError } = { stream }
    bodies.collect(stream, {}, holder, result => {
      expect(sent.result).toBeUndefined()
      sent.result = result
    })
    return sent
  }
  return { clock, room, receive }
}

const statusOf = ({ result }: { result?: RawBody | ApiError }) =>
  result instanceof ApiError ? result.status : result && 'received'

async function writeTiny(stream: PassThrough, count: number): Promise<void> {
  for (let written = 0; written < count; written++) {
    stream.write('x')
    if (written % 50 === 0) await setImmediate()
  }
  await setImmediate()
}

describe('chunks of one byte', () => {
  test('count 256 bytes each against the limit of a body', async () => {
    const { receive } = openBodies()
    const fits = receive()
    await writeTiny(fits.stream, TINY_CHUNKS)
    fits.stream.end()
    await setImmediate()
    expect(statusOf(fits)).toBe('received')
    const over = receive()
    await writeTiny(over.stream, TINY_CHUNKS + 1)
    expect(statusOf(over)).toBe(413)
  })

  test('count 256 bytes each against the room', async () => {
    const { receive, room } = openBodies()
    const body = receive()
    await writeTiny(body.stream, 100)
    expect(room.usedBytes).toBe(25_600)
    body.stream.destroy()
    await setImmediate()
    expect([statusOf(body), room.usedBytes]).toEqual([400, 0])
  })

  test('do not matter to a body of exactly the limit that comes in usual chunks', async () => {
    const { receive } = openBodies()
    const body = receive()
    for (let left = LIMIT_BYTES; left > 0; left -= 1460) {
      body.stream.write(Buffer.alloc(Math.min(1460, left)))
      await setImmediate()
    }
    body.stream.end()
    await setImmediate()
    expect(body.result).toMatchObject({ bytes: LIMIT_BYTES })
  })
})

describe('a body whose sender waits', () => {
  test('is 408 after twenty seconds at most, and its room is free again', async () => {
    const { clock, receive, room } = openBodies()
    const body = receive()
    body.stream.write(Buffer.alloc(LIMIT_BYTES - 1))
    await setImmediate()
    expect(room.usedBytes).toBe(LIMIT_BYTES - 1)
    clock.advance(10_000)
    await setImmediate()
    expect(statusOf(body)).toBeUndefined()
    clock.advance(10_000)
    await setImmediate()
    expect(body.result).toMatchObject({ status: 408, message: 'The request was not completed in time' })
    expect(room.usedBytes).toBe(0)
  })

  test('is 408 also if it sends a few bytes in between, or nothing at all', async () => {
    const { clock, receive } = openBodies()
    const [trickle, silent] = [receive(), receive()]
    for (let second = 0; second < 20; second++) {
      trickle.stream.write('x'.repeat(100))
      await setImmediate()
      clock.advance(1_000)
      await setImmediate()
    }
    expect([statusOf(trickle), statusOf(silent)]).toEqual([408, 408])
  })

  test('is received if it makes some progress, however long it takes', async () => {
    const { clock, receive } = openBodies()
    const body = receive()
    for (let second = 0; second < 90; second++) {
      body.stream.write('x'.repeat(200))
      await setImmediate()
      clock.advance(1_000)
      await setImmediate()
    }
    body.stream.end()
    await setImmediate()
    expect(body.result).toMatchObject({ bytes: 18_000 })
  })
})

test('an account whose senders withhold the last byte does not keep others from sending', async () => {
  const { receive } = openBodies(5 * LIMIT_BYTES)
  const withheld = Array.from({ length: 10 }, () => receive(askerOfKey('greedy')))
  for (const { stream } of withheld) stream.write(Buffer.alloc(LIMIT_BYTES - 1))
  await setImmediate()
  expect(withheld.filter(body => statusOf(body) === 503).length).toBe(8)
  const other = receive(askerOfKey('other'))
  other.stream.end(Buffer.alloc(LIMIT_BYTES))
  await setImmediate()
  expect(statusOf(other)).toBe('received')
})

describe('the API refuses a body of very many chunks', () => {
  let installation: TestInstallation
  beforeAll(async () => {
    installation = await testInstallation()
  })
  afterAll(() => installation.app.close())

  const tiny = () => ({
    headers: { 'content-type': 'application/json' },
    payload: Readable.from(Array(8_225).fill(Buffer.from(' ')), { objectMode: false, highWaterMark: 1 }),
  })

  test.each([
    ['POST', '/v1/config/view'],
    ['POST', '/v3/pipeline'],
    ['PUT', '/v3/pipeline/import'],
    ['POST', '/logs/ingest'],
  ] as const)('%s %s', async (method, url) => {
    const { statusCode } = await installation.call({ method, url, ...tiny() })
    expect(statusCode).toBe(413)
  })

  test('of a sender without a credential', async () => {
    const { statusCode } = await installation.app.inject({ method: 'POST', url: '/logs/ingest', ...tiny() })
    expect(statusCode).toBe(413)
  })

  test('unless the path is unknown, which is said before the body is read', async () => {
    const { statusCode } = await installation.app.inject({ method: 'POST', url: '/nowhere', ...tiny() })
    expect(statusCode).toBe(404)
  })
})
