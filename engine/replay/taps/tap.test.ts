import { expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../clock/manual-clock.ts'
import { Event } from '../../event/event.ts'
import { freeMeter } from '../../expressions/cost-meter.ts'
import { Tap, type TapBounds, type TapMark, type TapMessage } from './tap.ts'

const MARK: TapMark = {
  type: 'revision',
  revision: 2,
  deployment: 3,
  isPaused: false,
  isPresent: true,
  atMs: 1_700_000_000_000,
}

interface OpenTap {
  readonly clock: ManualClock
  readonly tap: Tap
  readonly received: TapMessage[]
  offer(...messages: string[]): void
  /** Advances the time in small steps, so that every turn of the tap takes place. */
  pass(ms: number): Promise<void>
  /** Messages of the events that were shown since the last call. */
  shown(): string[]
}

function openTap(bounds: Partial<TapBounds> = {}): OpenTap {
  const clock = manualClock()
  const received: TapMessage[] = []
  const receive = (message: TapMessage) => received.push(message)
  const tap = new Tap(clock, { filter: () => true, limit: 1_000, lastsMs: 300_000, ...bounds }, receive)
  return {
    clock,
    tap,
    received,
    offer: (...messages) => {
      for (const message of messages) tap.offer('', eventOf(message))
    },
    pass: async ms => {
      for (let passed = 0; passed < ms; passed += 50) {
        clock.advance(50)
        await new Promise(resolve => setImmediate(resolve))
      }
    },
    shown: () => {
      const events = received.filter(({ type }) => type === 'event')
      for (const event of events) received.splice(received.indexOf(event), 1)
      return events.map(event => (event as { event: Event }).event.message as string)
    },
  }
}

function eventOf(message: string): Event {
  return Event.of(message, {}, '2031-03-09T08:15:30.250Z')
}

const numbered = (count: number, prefix = 'event') =>
  Array.from({ length: count }, (_, index) => `${prefix} ${index}`)

test('events are shown in order, with the output by which they left, and not while they are offered', async () => {
  const { tap, received, pass } = openTap()
  tap.offer('errors', eventOf('a'))
  tap.offer('', eventOf('b'))
  expect(received).toEqual([])
  await pass(50)
  expect(received.map(message => message.type === 'event' && message.output)).toEqual(['errors', ''])
})

test.each([
  [100, 0],
  [101, 1],
])('of %i events in a second %i are skipped', async (count, skipped) => {
  const { offer, pass, shown, received } = openTap()
  offer(...numbered(count))
  await pass(1_100)
  expect(shown()).toEqual(numbered(100))
  expect(received).toEqual(skipped === 0 ? [] : [{ type: 'skipped', count: skipped, notFiltered: 0 }])
})

test('a new second shows events again, after the number of skipped ones', async () => {
  const { offer, pass, received } = openTap()
  offer(...numbered(150))
  await pass(1_000)
  offer('later')
  await pass(100)
  expect(received.slice(100)).toMatchObject([
    { type: 'skipped', count: 50 },
    { type: 'event', event: { message: 'later' } },
  ])
})

test('a second shows 1 MiB and the event that exceeds it, whatever the size of one', async () => {
  const { offer, pass, shown, received } = openTap()
  offer('x'.repeat(1024 * 1024 - 1), 'passes it', 'beyond')
  await pass(1_100)
  expect(shown().map(message => message.length)).toEqual([1024 * 1024 - 1, 9])
  expect(received).toEqual([{ type: 'skipped', count: 1, notFiltered: 0 }])
  offer('y'.repeat(3 * 1024 * 1024), 'beyond')
  await pass(1_100)
  expect(shown().map(message => message.length)).toEqual([3 * 1024 * 1024])
})

test('events that the filter refuses are neither shown nor skipped', async () => {
  const filter = ({ message }: Event) => String(message).startsWith('wanted')
  const { offer, pass, shown, received } = openTap({ filter })
  offer(...numbered(500), ...numbered(3, 'wanted'))
  await pass(2_000)
  expect(shown()).toEqual(numbered(3, 'wanted'))
  expect(received).toEqual([])
})

test('1000 events wait, further ones are skipped unread, and 100 are examined in a turn', async () => {
  let looks = 0
  const filter = () => {
    looks++
    return false
  }
  const { offer, pass, received } = openTap({ filter })
  offer(...numbered(1_003))
  expect(looks).toBe(0)
  await pass(50)
  expect(looks).toBe(100)
  await pass(2_000)
  expect(looks).toBe(1_000)
  expect(received).toEqual([{ type: 'skipped', count: 3, notFiltered: 3 }])
})

test('a tap ends with the event that reaches the limit, and accepts nothing more', async () => {
  const { tap, offer, pass, received } = openTap({ limit: 2 })
  offer('a', 'b', 'c')
  await pass(50)
  expect(received.slice(1)).toMatchObject([
    { type: 'event', event: { message: 'b' } },
    { type: 'end', reason: 'limit', shown: 2 },
  ])
  expect(tap.signal.aborted).toBe(true)
  offer('d')
  tap.mark(MARK)
  tap.end('closed')
  await pass(2_000)
  expect(received).toHaveLength(3)
})

test('a tap ends when its time is over, not earlier, and counts waiting events as skipped', async () => {
  const { offer, clock, pass, received } = openTap({ lastsMs: 5_000 })
  await pass(4_950)
  clock.advance(49)
  await new Promise(resolve => setImmediate(resolve))
  offer('too late')
  expect(received).toEqual([])
  clock.advance(1)
  await new Promise(resolve => setImmediate(resolve))
  expect(received).toEqual([{ type: 'end', reason: 'time', shown: 0, skipped: 1 }])
})

test('a mark is between the events before and after it', async () => {
  const { tap, offer, pass, received } = openTap()
  offer('before')
  tap.mark(MARK)
  offer('after')
  await pass(50)
  expect(received.map(({ type }) => type)).toEqual(['event', 'revision', 'event'])
})

test('a mark is never skipped, and a mark of a withdrawal is followed by the end', async () => {
  const { tap, offer, pass, received } = openTap({ filter: () => false })
  offer(...numbered(2_000))
  tap.mark({ ...MARK, revision: null })
  offer('after')
  await pass(1_000)
  expect(received.filter(({ type }) => type !== 'skipped')).toMatchObject([
    { type: 'revision', revision: null },
    { type: 'end', reason: 'withdrawn', shown: 0, skipped: 1_001 },
  ])
})

test('a filter that throws ends only the tap', async () => {
  const filter = () => {
    throw new RangeError('too deep')
  }
  const { offer, pass, received } = openTap({ filter })
  offer('a', 'b')
  await pass(50)
  expect(received).toEqual([{ type: 'end', reason: 'failed', shown: 0, skipped: 1 }])
})

test('an event on which the filter costs too much is skipped as not filtered', async () => {
  const meter = freeMeter()
  const filter = ({ message }: Event) => {
    meter.spend(message === 'dear' ? 1_000_000 : 1)
    return message !== 'other'
  }
  const { offer, pass, received } = openTap({ filter, meter })
  offer('dear', 'cheap', 'other')
  await pass(50)
  await pass(1_000)
  offer('cheap')
  await pass(50)
  expect(received).toMatchObject([
    { type: 'event', event: { message: 'cheap' } },
    { type: 'skipped', count: 1, notFiltered: 1 },
    { type: 'event', event: { message: 'cheap' } },
  ])
})

test('an expensive filter examines few events in a turn', async () => {
  const meter = freeMeter()
  const filter = () => {
    meter.spend(100_000)
    return true
  }
  const { offer, pass, received } = openTap({ filter, meter })
  offer(...numbered(10))
  await pass(50)
  expect(received).toHaveLength(2)
  await pass(50)
  expect(received).toHaveLength(4)
})
