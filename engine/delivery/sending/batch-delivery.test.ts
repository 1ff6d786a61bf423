import { describe, expect, test } from 'vitest'
import { isCollected } from '../../../test/support/collected.ts'
import { textOf } from '../../../test/support/outgoing.ts'
import { type ManualClock, manualClock } from '../../clock/manual-clock.ts'
import { seededEntropy } from '../../entropy/seeded-entropy.ts'
import { Event } from '../../event/event.ts'
import { BatchDelivery, type DeliveredBatch } from './batch-delivery.ts'
import { DELIVERY_MEMORY_BYTES, DeliveryMemory } from './delivery-memory.ts'
import { LanePauses } from './lane-pauses.ts'
import type { RemoteAnswer, RemoteFailure, Shipment } from './remote.ts'
import { RequestSlots } from './request-slots.ts'

const LANE = { account: 'a', pipeline: 'p', node: 'out' }
const FAILURE: RemoteFailure = {
  code: 'E_DELIVERY_FAILED',
  field: null,
  message: 'It was refused.',
  answer: null,
}
const LINES = ['a', 'b', 'c', 'd']

const DELIVERED: RemoteAnswer = { kind: 'delivered', status: 200, bytes: 10 }
const AGAIN: RemoteAnswer = { kind: 'again', status: 503, bytes: 10, failure: FAILURE }
const REST: RemoteAnswer = { kind: 'rest', status: 401, bytes: 10, failure: FAILURE }
const REFUSED: RemoteAnswer = { kind: 'refused', status: 400, bytes: 10, failure: FAILURE, divides: false }

interface Sent {
  readonly atMs: number
  readonly id: string
  readonly lines: string
}

/** Delivers a batch of four events to a remote with these answers. */
class Delivering {
  readonly clock: ManualClock = manualClock(0)
  readonly sent: Sent[] = []
  /** Attempts after which the events must make room. */
  mostAttempts = Number.POSITIVE_INFINITY
  /** Time at which the rate of requests allows one. */
  dueMs = 0
  /** Time from which on the events must make room. */
  roomEndsMs = Number.POSITIVE_INFINITY
  /** Time from which on the server accepts connections. */
  lostUntilMs = 0
  readonly memory = new DeliveryMemory()
  readonly delivery: BatchDelivery
  readonly #ended = new AbortController()

  constructor(
    answerTo: (lines: readonly string[], attempt: number) => RemoteAnswer,
    giveUpAfterMs: number | null = null,
  ) {
    const remote = {
      untilDueMs: () => this.dueMs - this.clock.monotonicMs(),
      lostAnswer: async () => (this.clock.monotonicMs() < this.lostUntilMs ? AGAIN : undefined),
      send: async ({ id, events }: { id: string; events: readonly { event: Event }[] }) => {
        const lines = events.map(({ event }) => textOf(event))
        this.sent.push({ atMs: this.clock.monotonicMs(), id, lines: lines.join('') })
        return answerTo(lines, this.sent.length)
      },
    }
    const events = LINES.map((line, row) => ({
      event: Event.of({ line }, {}, '2026-01-01T00:00:00Z'),
      source: 'weir.ingest 0',
      position: { offset: 0n, row },
    }))
    const batch = {
      ...{ number: 1, version: 1, type: 'test', options: '{}', split: '', openedMs: 0, closedMs: 0 },
      ...{ events: 4, bytes: 8, stretches: [{ offset: 0, row: 0, count: 4 }] },
    }
    const { clock } = this
    const ports = {
      ...{ remote, slots: new RequestSlots(), clock, entropy: seededEntropy(1) },
      memory: this.memory,
      pauses: new LanePauses(clock),
    }
    const ready = {
      ...{ id: 'batch', lane: LANE, laneId: 'lane', batch, read: async () => events, ageMs: 0 },
      standing: () => 'new' as const,
    }
    this.delivery = new BatchDelivery(ports, ready, {
      giveUpAfterMs: () => giveUpAfterMs,
      mustMakeRoom: () =>
        this.sent.length >= this.mostAttempts || this.clock.monotonicMs() >= this.roomEndsMs,
    })
  }

  run(): Promise<DeliveredBatch> {
    return this.clock.advanceUntil(this.delivery.run(this.#ended.signal))
  }

  get lines(): string[] {
    return this.sent.map(({ lines }) => lines)
  }
}

test('a batch that is accepted is sent once', async () => {
  const delivering = new Delivering(() => DELIVERED)
  expect(await delivering.run()).toEqual({ attempts: 1, bytes: 10, failures: [] })
  expect(delivering.sent).toEqual([{ atMs: 0, id: 'batch', lines: 'abcd' }])
})

test('a batch that may succeed later is repeated unchanged, with growing pauses of at most 30 s', async () => {
  const delivering = new Delivering((_, attempt) => (attempt <= 12 ? AGAIN : DELIVERED))
  expect(await delivering.run()).toEqual({ attempts: 13, bytes: 130, failures: [] })
  expect(new Set(delivering.sent.map(({ id, lines }) => `${id} ${lines}`))).toEqual(new Set(['batch abcd']))
  const pauses = delivering.sent
    .slice(1)
    .map(({ atMs }, index) => atMs - (delivering.sent[index] as Sent).atMs)
  for (const [index, pauseMs] of pauses.entries())
    expect(pauseMs).toBeLessThanOrEqual(Math.min(30_000, 1_000 * 2 ** index) + 1_000)
  expect(Math.max(...pauses)).toBeGreaterThan(5_000)
})

test('a remote may ask for a pause of up to 10 minutes', async () => {
  const retryAfterMs = 60 * 60_000
  const delivering = new Delivering((_, attempt) => (attempt === 1 ? { ...AGAIN, retryAfterMs } : DELIVERED))
  await delivering.run()
  expect(delivering.sent[1]?.atMs).toBe(10 * 60_000)
})

test('while the credentials are refused, an attempt is made every 30 s and nothing is given up', async () => {
  const delivering = new Delivering((_, attempt) => (attempt <= 3 ? REST : DELIVERED), 1)
  expect(await delivering.run()).toMatchObject({ attempts: 4, failures: [] })
  expect(delivering.sent.map(({ atMs }) => atMs)).toEqual([0, 30_000, 60_000, 90_000])
})

test('events that must make room are given up without a further attempt, also those whose credentials are refused', async () => {
  const delivering = new Delivering(() => REST)
  delivering.mostAttempts = 2
  const { attempts, failures } = await delivering.run()
  expect(attempts).toBe(2)
  const message = 'The remote was away or slow, and the log had no room for events that wait.'
  expect(failures).toMatchObject([{ row: 0, count: 4, status: null, code: 'E_DELIVERY_FAILED', message }])
})

test('a long pause ends when the events must make room', async () => {
  for (const answer of [REST, { ...AGAIN, retryAfterMs: 600_000 }]) {
    const delivering = new Delivering(() => answer)
    delivering.roomEndsMs = 12_000
    expect(await delivering.run()).toMatchObject({ attempts: 1, failures: [{ row: 0, count: 4 }] })
    expect(delivering.clock.monotonicMs()).toBeLessThan(20_000)
  }
})

test('a batch waits for its turn, but not when the events must make room', async () => {
  const waiting = new Delivering(() => DELIVERED)
  waiting.dueMs = 60_000
  await waiting.run()
  expect(waiting.sent[0]?.atMs).toBeGreaterThanOrEqual(55_000)
  const delivering = new Delivering(() => DELIVERED)
  delivering.dueMs = 86_400_000
  delivering.roomEndsMs = 12_000
  expect(await delivering.run()).toMatchObject({ attempts: 0, failures: [{ row: 0, count: 4 }] })
  expect(delivering.clock.monotonicMs()).toBeLessThan(20_000)
})

test('a final answer gives all events up', async () => {
  const delivering = new Delivering(() => REFUSED)
  expect((await delivering.run()).failures).toEqual([{ ...FAILURE, row: 0, count: 4, status: 400 }])
})

describe('a remote that takes all or nothing', () => {
  test('fails the bad event alone: a batch is halved, and its parts keep their order and their ids', async () => {
    const answer = (lines: readonly string[]) =>
      lines.includes('c') ? { ...REFUSED, divides: true } : DELIVERED
    const one = new Delivering(answer)
    const two = new Delivering(answer)
    expect((await one.run()).failures).toEqual([{ ...FAILURE, row: 2, count: 1, status: 400 }])
    expect(one.lines).toEqual(['abcd', 'ab', 'cd', 'c', 'd'])
    await two.run()
    expect(two.sent.map(({ id }) => id)).toEqual(one.sent.map(({ id }) => id))
    expect(new Set(one.sent.map(({ id }) => id)).size).toBe(5)
  })
})

describe('a remote that judges each event', () => {
  test('gets only those again that it wants again', async () => {
    const delivering = new Delivering((lines, attempt) =>
      attempt === 1
        ? {
            kind: 'each',
            status: 200,
            bytes: 1,
            outcomes: lines.map(line => (line < 'c' ? 'again' : line === 'c' ? FAILURE : 'delivered')),
          }
        : DELIVERED,
    )
    expect((await delivering.run()).failures).toEqual([{ ...FAILURE, row: 2, count: 1, status: 200 }])
    expect(delivering.lines).toEqual(['abcd', 'ab'])
  })

  test('and names too few of them: the others are sent again', async () => {
    const delivering = new Delivering((_, attempt) =>
      attempt === 1 ? { kind: 'each', status: 200, bytes: 1, outcomes: ['delivered'] } : DELIVERED,
    )
    await delivering.run()
    expect(delivering.lines).toEqual(['abcd', 'bcd'])
  })
})

describe('the time after which a batch is given up', () => {
  test('ends with what remains of it', async () => {
    const delivering = new Delivering((lines, attempt) => {
      if (attempt === 1) return { ...REFUSED, divides: true }
      return lines.includes('a') ? DELIVERED : AGAIN
    }, 60_000)
    expect((await delivering.run()).failures).toEqual([{ ...FAILURE, row: 2, count: 2, status: 503 }])
    expect(delivering.clock.monotonicMs()).toBeGreaterThanOrEqual(60_000)
  })

  test('counts only after a failed attempt', async () => {
    const delivering = new Delivering(() => DELIVERED, 0)
    expect((await delivering.run()).failures).toEqual([])
  })
})

test('while the server accepts no connection, attempts fail without the events', async () => {
  const delivering = new Delivering((_, attempt) => (attempt === 1 ? AGAIN : DELIVERED))
  delivering.lostUntilMs = 60_000
  const { attempts, bytes } = await delivering.run()
  expect([delivering.lines, bytes]).toEqual([['abcd', 'abcd'], 20])
  expect(attempts).toBeGreaterThan(4)
  expect(delivering.sent[1]?.atMs).toBeGreaterThanOrEqual(60_000)
})

test('events that wait for memory make room, and are not sent', async () => {
  const delivering = new Delivering(() => DELIVERED)
  const half = DELIVERY_MEMORY_BYTES / 2
  void delivering.memory.run(half, 'failing', new AbortController().signal, () => new Promise(() => {}))
  delivering.roomEndsMs = 20_000
  const { failures } = await delivering.run()
  expect([delivering.sent, failures.length, delivering.clock.monotonicMs()]).toEqual([[], 1, 20_000])
})

test('nothing but the remote holds the events while they are sent', async () => {
  let event: WeakRef<object> | undefined
  const { promise, resolve } = Promise.withResolvers<RemoteAnswer>()
  const remote = {
    send: ({ events }: Shipment) => {
      event = new WeakRef(events[0] as object)
      return promise
    },
  }
  const clock = manualClock(0)
  const ports = {
    ...{ remote, clock, entropy: seededEntropy(1), slots: new RequestSlots(), memory: new DeliveryMemory() },
    pauses: new LanePauses(clock),
  }
  const batch = {
    ...{ number: 1, version: 1, type: 'test', options: '{}', split: '', openedMs: 0, closedMs: 0 },
    ...{ events: 1, bytes: 8, stretches: [{ offset: 0, row: 0, count: 1 }] },
  }
  const position = { offset: 0n, row: 0 }
  const read = async () => [{ event: Event.of('a', {}, ''), source: 'weir.ingest 0', position }]
  const lane = { lane: LANE, laneId: 'lane', standing: () => 'new' as const }
  const patience = { giveUpAfterMs: () => null, mustMakeRoom: () => false }
  const delivery = new BatchDelivery(ports, { ...lane, id: 'batch', batch, read, ageMs: 0 }, patience)
  const delivered = delivery.run(new AbortController().signal)
  while (event === undefined) await new Promise(done => setImmediate(done))
  expect(await isCollected(event)).toBe(true)
  resolve(DELIVERED)
  expect((await delivered).attempts).toBe(1)
})
