import { beforeEach, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../engine/clock/manual-clock.ts'
import { TailSender } from './tail-sender.ts'

/** A connection that takes data only when the test allows it. */
class Connection {
  bufferedAmount = 0
  /** Most bytes that it had at once. */
  unsentBytes = 0
  readonly #pending: { readonly text: string; readonly sent: () => void }[] = []
  readonly received: { readonly e: string; readonly p: unknown }[] = []
  isOpen = true

  send(text: string, sent: () => void): void {
    this.#pending.push({ text, sent })
    this.bufferedAmount += Buffer.byteLength(text)
    this.unsentBytes = Math.max(this.unsentBytes, this.bufferedAmount)
    if (this.isOpen) setImmediate(() => this.take())
  }

  /** Accepts one message. */
  take(): void {
    const next = this.#pending.shift()
    if (next === undefined) return
    this.bufferedAmount -= Buffer.byteLength(next.text)
    this.received.push(JSON.parse(next.text))
    next.sent()
  }
}

const MEBIBYTE = 1024 * 1024

let clock: ManualClock
let connection: Connection
let counts: { sent: number; dropped: number }
let ended: AbortController
let sender: TailSender
let room: { bytes: number }

beforeEach(() => {
  clock = manualClock()
  connection = new Connection()
  counts = { sent: 0, dropped: 0 }
  ended = new AbortController()
  room = { bytes: 1.5 * MEBIBYTE }
  sender = new TailSender(clock, counts, room, ended.signal)
})

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    clock.advance(Math.min(50, ms - passed))
    await new Promise(resolve => setImmediate(resolve))
  }
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index)

function take(...values: readonly number[]): void {
  for (const value of values) sender.take(String(value))
}

const lines = () => connection.received.flatMap(({ e, p }) => (e === 'p' ? (p as number[]) : []))

test('lines are sent together, a tenth of a second after the first of them', async () => {
  sender.attach(connection as never)
  take(1, 2)
  await pass(99)
  expect(connection.received).toEqual([])
  take(3)
  await pass(51)
  expect(connection.received).toEqual([{ e: 'p', p: [1, 2, 3] }])
})

test('a message has at most 100 lines, and a hundredth line is sent at once', async () => {
  sender.attach(connection as never)
  take(...numbers(250))
  await new Promise(resolve => setImmediate(resolve))
  expect(connection.received.map(({ p }) => (p as number[]).length)).toEqual([100, 100])
  await pass(150)
  expect(lines()).toEqual(numbers(250))
  expect(counts).toEqual({ sent: 250, dropped: 0 })
})

test('lines that arrive before the connection are sent once it is open', async () => {
  take(1)
  await pass(1_000)
  sender.attach(connection as never)
  await pass(50)
  expect(lines()).toEqual([1])
})

test('few lines wait for a stalled client, the oldest are dropped, and their number is sent before the next line', async () => {
  connection.isOpen = false
  sender.attach(connection as never)
  const record = (number: number) => `{"n":${number},"text":"${'x'.repeat(2_000)}"}`
  const all = 20_000
  for (let number = 0; number < all; number++) {
    sender.take(record(number))
    if (number % 1_000 === 0) await pass(100)
  }
  expect(connection.bufferedAmount).toBeLessThan(1024 * 1024)
  connection.isOpen = true
  const gaps: number[] = []
  for (;;) {
    const before = connection.received.length
    connection.take()
    await pass(50)
    if (connection.received.length === before) break
  }
  for (const { e, p } of connection.received) if (e === 'meta') gaps.push((p as { dropped: number }).dropped)
  const received = lines().map(line => (line as unknown as { n: number }).n)
  const dropped = gaps.reduce((sum, count) => sum + count, 0)
  expect(gaps).toHaveLength(1)
  expect(dropped).toBe(all - received.length)
  expect(counts).toEqual({ sent: received.length, dropped })
  // The newest lines are there, in order, and the gap is where the reader was informed of it.
  expect(received.at(-1)).toBe(all - 1)
  expect(received).toEqual([...received].sort((a, b) => a - b))
  const at = connection.received.findIndex(({ e }) => e === 'meta')
  const numbersOf = (message: number) => (connection.received[message] as { p: { n: number }[] }).p
  expect(numbersOf(at + 1)[0]?.n).toBe(Number(numbersOf(at - 1).at(-1)?.n) + 1 + dropped)
  expect(received.length * 2_000).toBeLessThan(2 * 1024 * 1024)
})

/** Texts of two bytes per character in UTF-8. */
const wide = (kibibytes: number) => JSON.stringify('ü'.repeat(kibibytes * 512))

/** Sends lines to a stalled client. @returns bytes in its connection, and bytes that wait */
function held(kibibytes: number, count: number) {
  connection.isOpen = false
  sender.attach(connection as never)
  for (let line = 0; line < count; line++) sender.take(wide(kibibytes))
  const waiting = count - counts.sent - counts.dropped
  return { waiting: waiting * kibibytes * 1024, unsent: connection.unsentBytes }
}

test.each([16, 48, 1024])('lines of %i KiB wait by their bytes', kibibytes => {
  const { waiting, unsent } = held(kibibytes, 500)
  expect(waiting).toBeLessThanOrEqual(MEBIBYTE)
  expect(unsent).toBeLessThanOrEqual(0.5 * MEBIBYTE + 128 * 1024 + (kibibytes + 1) * 1024)
  expect(counts.dropped).toBeGreaterThan(0)
})

test('a tail whose room becomes smaller drops its oldest lines at once, and its connection gets less', async () => {
  held(16, 500)
  const sent = counts.sent
  room.bytes = 192 * 1024
  sender.trim()
  expect(500 - counts.sent - counts.dropped).toBe(7)
  connection.isOpen = true
  const texts = async () => {
    for (let round = 0; round < 100; round++) {
      connection.take()
      await pass(50)
    }
    return connection.received
  }
  const received = await texts()
  expect(received.find(({ e }) => e === 'meta')?.p).toEqual({ dropped: counts.dropped })
  expect(counts.sent - sent).toBe(7)
  // A message has at most a twelfth of the room, and then the line that exceeds it.
  expect(received.filter(({ e }) => e === 'p').slice(-7)).toHaveLength(7)
  expect(received.slice(-7).every(({ p }) => (p as unknown[]).length === 1)).toBe(true)
})

test('one line that is larger than the limit for waiting lines is still sent', async () => {
  sender.attach(connection as never)
  sender.take(JSON.stringify('x'.repeat(3 * 1024 * 1024)))
  await pass(150)
  expect(lines()).toHaveLength(1)
})

test('lines that were not examined are reported, even if no other line comes', async () => {
  sender.attach(connection as never)
  sender.miss(7)
  sender.miss(5)
  await pass(150)
  expect(connection.received).toEqual([{ e: 'meta', p: { dropped: 12, not_filtered: 12 } }])
  expect(counts.dropped).toBe(12)
})

test('discarded lines are reported as dropped', async () => {
  sender.attach(connection as never)
  take(1, 2)
  sender.discard()
  take(3)
  await pass(150)
  expect(connection.received).toEqual([
    { e: 'meta', p: { dropped: 2 } },
    { e: 'p', p: [3] },
  ])
})

test('nothing is sent after the end', async () => {
  sender.attach(connection as never)
  take(1)
  ended.abort()
  take(...numbers(200))
  await pass(1_000)
  expect(connection.received).toEqual([])
})

test('a thinned tail has the first lines of each second, and the number of the others', async () => {
  sender = new TailSender(clock, counts, room, ended.signal, 3)
  sender.attach(connection as never)
  take(...numbers(10))
  await pass(150)
  expect(lines()).toEqual([0, 1, 2])
  expect(connection.received).toContainEqual({ e: 'meta', p: { dropped: 0, thinned: 7 } })
  await pass(1_000)
  take(...numbers(2, 10))
  await pass(150)
  expect(lines()).toEqual([0, 1, 2, 10, 11])
  expect(connection.received.filter(({ e }) => e === 'meta')).toHaveLength(1)
  // Lines that nobody wanted are not lost.
  expect(counts).toEqual({ sent: 5, dropped: 0 })
})
