import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { Clock } from '../../engine/clock/clock.ts'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import {
  type Log,
  LogError,
  type LogRecord,
  MAX_RECORD_BYTES,
  type NewRecord,
  type Topic,
} from '../../engine/log/log.ts'
import { DAY_MS } from '../../engine/times/duration.ts'

/** One place where a log keeps its records; it can be opened again after it was closed. */
export interface LogPlace {
  open(options: LogPlaceOptions): Promise<Log>
  remove(): Promise<void>
}

export interface LogPlaceOptions {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly maxBytes?: number
  /** Maximum size of segments, small enough for a test to have several. */
  readonly segmentBytes?: number
}

export interface LogTraits {
  /** It has a bound of its own and a reserve, and takes the clock it is given. A broker has neither. */
  readonly embedded: boolean
}

const START_MS = 1_700_000_000_000
/** Long enough for every frame: bounds on bytes are tested with room for them. */
const FRAME_BYTES = 80

/** Promises of every implementation of the log. Each test has its own place. */
export function logContract(name: string, newPlace: () => Promise<LogPlace>, traits: LogTraits): void {
  describe(`the ${name} keeps the contract of a log`, () => {
    const places: LogPlace[] = []
    const logs: Log[] = []

    afterEach(async () => {
      for (const log of logs.splice(0)) await log.close()
      for (const place of places.splice(0)) await place.remove()
    })

    async function placeOf(defaults: Partial<LogPlaceOptions> = {}) {
      const place = await newPlace()
      places.push(place)
      const clock = manualClock(START_MS)
      const entropy = seededEntropy(1)
      const open = async (options: Partial<LogPlaceOptions> = {}): Promise<Log> => {
        const log = await place.open({ clock, entropy, ...defaults, ...options })
        logs.push(log)
        return log
      }
      return { clock, open }
    }

    async function topicOf(options: Partial<LogPlaceOptions> = {}, partitions = 1) {
      const { clock, open } = await placeOf(options)
      const log = await open()
      return { clock, open, log, topic: await log.topic('weir.test', partitions) }
    }

    describe('appending and reading', () => {
      test('concurrent appends get rising offsets in the order of the calls, and are read in that order', async () => {
        const { topic } = await topicOf()
        const texts = Array.from({ length: 100 }, (_, number) => `record ${number}`)
        const appended = await Promise.all(texts.map(text => topic.append(0, record(text))))
        expectRising(appended.map(({ offset }) => offset))
        expect(await textsFrom(topic, 0n)).toEqual(texts)
        expect(await offsetsFrom(topic, 0n)).toEqual(appended.map(({ offset }) => offset))
      })

      test('a new topic is empty: its bounds are equal and reading at its head gives nothing', async () => {
        const { topic } = await topicOf()
        expect(await topic.bounds(0)).toEqual({ first: 0n, next: 0n })
        expect(await topic.read(0, 0n, 1000)).toEqual([])
      })

      test('an answered append can be read at once, and next is beyond it', async () => {
        const { topic } = await topicOf()
        const { offset } = await topic.append(0, record('now'))
        expect((await topic.read(0, offset, 1000)).map(text)).toEqual(['now'])
        expect((await topic.bounds(0)).next).toBeGreaterThan(offset)
      })

      test('reading can begin at any kept offset and at no other', async () => {
        const { topic } = await topicOf()
        for (let number = 0; number < 20; number++) await topic.append(0, record(`${number}`))
        const { first, next } = await topic.bounds(0)
        const offsets = await offsetsFrom(topic, first)
        for (const [place, offset] of offsets.entries()) {
          expect((await textsFrom(topic, offset))[0]).toBe(`${place}`)
        }
        await expectCode(topic.read(0, first - 1n, 1000), 'LOG_OFFSET_OUT_OF_RANGE')
        await expectCode(topic.read(0, next + 1n, 1000), 'LOG_OFFSET_OUT_OF_RANGE')
      })

      test('values, producer ids and sequences are returned unchanged', async () => {
        const { topic } = await topicOf()
        const given: Pick<NewRecord, 'value' | 'producer'>[] = [
          { value: Buffer.alloc(0), producer: null },
          { value: Buffer.from([0, 10, 10, 255]), producer: { id: 'a', sequence: 0 } },
          {
            value: Buffer.from('ü'),
            producer: { id: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', sequence: 2 ** 31 - 1 },
          },
        ]
        for (const each of given) await topic.append(0, { ...each, priority: 'control' })
        const read = await allFrom(topic, 0n)
        expect(read.map(({ value, producer }) => ({ value: Buffer.from(value), producer }))).toEqual(given)
      })

      test('a caller that reuses its memory after the answer does not change the stored record', async () => {
        const { topic } = await topicOf()
        const value = Buffer.from('before')
        await topic.append(0, { value, producer: null, priority: 'ingest' })
        value.write('AFTER!')
        expect(await textsFrom(topic, 0n)).toEqual(['before'])
      })

      test('partitions have their own offsets and records', async () => {
        const { topic } = await topicOf({}, 3)
        await Promise.all([
          topic.append(0, record('a')),
          topic.append(2, record('b')),
          topic.append(2, record('c')),
        ])
        expect(await textsFrom(topic, 0n, 0)).toEqual(['a'])
        expect(await textsFrom(topic, 0n, 1)).toEqual([])
        expect(await textsFrom(topic, 0n, 2)).toEqual(['b', 'c'])
      })

      test('a record of the maximum size is accepted, and one more byte is refused', async () => {
        const { topic } = await topicOf()
        const value = Buffer.alloc(MAX_RECORD_BYTES + 1, 'x')
        await expectCode(topic.append(0, { ...record(''), value }), 'LOG_RECORD_TOO_LARGE')
        await topic.append(0, { ...record(''), value: value.subarray(1) })
        const [read] = await topic.read(0, 0n, 1)
        expect(read?.value.length).toBe(MAX_RECORD_BYTES)
        expect((await topic.bounds(0)).next).toBe(1n)
      })
    })

    describe('the bound of a read', () => {
      test('a record larger than maxBytes is returned alone', async () => {
        const { topic } = await topicOf()
        for (const size of [5000, 10, 10]) await topic.append(0, record('x'.repeat(size)))
        expect((await topic.read(0, 0n, 4999)).map(({ value }) => value.length)).toEqual([5000])
        expect((await topic.read(0, 0n, 0)).map(({ value }) => value.length)).toEqual([5000])
      })

      test('values with a total of exactly maxBytes are returned together, and with one byte less they are not', async () => {
        const { topic } = await topicOf()
        for (const size of [100, 100, 100]) await topic.append(0, record('x'.repeat(size)))
        expect(await topic.read(0, 0n, 300)).toHaveLength(3)
        expect(await topic.read(0, 0n, 299)).toHaveLength(2)
      })
    })

    test('two readers at different places see the same records', async () => {
      const { topic } = await topicOf({ segmentBytes: 4096 })
      const texts = Array.from({ length: 200 }, (_, number) => `${number} ${'x'.repeat(number)}`)
      const writing = (async () => {
        for (const each of texts) await topic.append(0, record(each))
      })()
      const follow = async (maxBytes: number) => {
        const seen: string[] = []
        for (let from = 0n; seen.length < texts.length; ) {
          await topic.waitBeyond(0, from, AbortSignal.timeout(30_000))
          const records = await topic.read(0, from, maxBytes)
          seen.push(...records.map(text))
          from = (records.at(-1)?.offset ?? from - 1n) + 1n
        }
        return seen
      }
      const [slow, fast] = await Promise.all([follow(50), follow(100_000), writing])
      expect(slow).toEqual(texts)
      expect(fast).toEqual(texts)
    })

    describe('waiting for growth', () => {
      test('ends when the offset is passed, not before', async () => {
        const { topic } = await topicOf()
        const { offset } = await topic.append(0, record('first'))
        await topic.waitBeyond(0, offset, new AbortController().signal)
        let ended = false
        const waiting = topic.waitBeyond(0, offset + 1n, new AbortController().signal).then(() => {
          ended = true
        })
        await topic.bounds(0)
        expect(ended).toBe(false)
        await topic.append(0, record('second'))
        await waiting
      })

      test('ends without an error when the signal is aborted, even before the call', async () => {
        const { topic } = await topicOf()
        const abort = new AbortController()
        const waiting = topic.waitBeyond(0, 0n, abort.signal)
        abort.abort()
        await waiting
        await topic.waitBeyond(0, 0n, abort.signal)
      })
    })

    describe('trimming', () => {
      test('a trim never removes a record at or above its bound, and reading below the first record is refused', async () => {
        const { topic } = await topicOf({ segmentBytes: 500 })
        for (let number = 0; number < 50; number++)
          await topic.append(0, record(`${number} ${'x'.repeat(50)}`))
        for (const before of [0n, 7n, 20n, 49n]) {
          await topic.trim(0, before)
          const { first, next } = await topic.bounds(0)
          expect(first).toBeLessThanOrEqual(before)
          expect(next).toBe(50n)
          expect((await offsetsFrom(topic, before)).length).toBe(Number(next - before))
        }
        const { first } = await topic.bounds(0)
        expect(first).toBeGreaterThan(20n)
        await expectCode(topic.read(0, first - 1n, 1000), 'LOG_OFFSET_OUT_OF_RANGE')
      })

      test('after everything was trimmed, offsets continue, also when the log is opened again', async () => {
        const { topic, open, log } = await topicOf()
        for (let number = 0; number < 5; number++) await topic.append(0, record(`${number}`))
        await topic.trim(0, 5n)
        expect(await topic.bounds(0)).toEqual({ first: 5n, next: 5n })
        await log.close()
        const again = await (await open()).topic('weir.test', 1)
        expect(await again.bounds(0)).toEqual({ first: 5n, next: 5n })
        expect((await again.append(0, record('next'))).offset).toBe(5n)
        await expectCode(again.read(0, 4n, 1000), 'LOG_OFFSET_OUT_OF_RANGE')
      })

      test('a bound beyond the head trims everything, and a second trim changes nothing', async () => {
        const { topic } = await topicOf()
        await topic.append(0, record('a'))
        await topic.trim(0, 1000n)
        await topic.trim(0, 1000n)
        expect(await topic.bounds(0)).toEqual({ first: 1n, next: 1n })
        expect((await topic.append(0, record('b'))).offset).toBe(1n)
        expect(await textsFrom(topic, 1n)).toEqual(['b'])
      })
    })

    describe('time', () => {
      test.runIf(traits.embedded)(
        'append times are the times of the clock, even when it jumps back and forward',
        async () => {
          const { clock, topic } = await topicOf()
          const times = [START_MS, START_MS - DAY_MS, START_MS + DAY_MS, START_MS - 1, START_MS]
          for (const time of times) {
            clock.setWall(time)
            expect((await topic.append(0, record('x'))).appendTimeMs).toBe(time)
          }
          const read = await allFrom(topic, 0n)
          expect(read.map(({ appendTimeMs }) => appendTimeMs)).toEqual(times)
          expectRising(read.map(({ offset }) => offset))
        },
      )

      test.runIf(traits.embedded)(
        'offsetAtTime is the earliest record at or after the time, wherever the clock jumped',
        async () => {
          const jumps = fc.array(fc.integer({ min: -5, max: 6 }), {
            minLength: 1,
            maxLength: 40,
            size: 'max',
          })
          await fc.assert(
            fc.asyncProperty(jumps, fc.integer({ min: 0, max: 39 }), async (steps, trimmed) => {
              const { clock, open, log, topic } = await topicOf({ segmentBytes: 400 })
              let time = START_MS
              for (const step of steps) {
                time += step
                clock.setWall(time)
                await topic.append(0, record('x'.repeat(60)))
              }
              await topic.trim(0, BigInt(trimmed))
              await expectTimesFound(topic)
              await log.close()
              await expectTimesFound(await (await open()).topic('weir.test', 1))
            }),
            { numRuns: 15 },
          )
        },
      )
    })

    describe('topics', () => {
      test('another number of partitions is refused, in an open log and after it is opened again', async () => {
        const { open, log } = await topicOf({}, 2)
        await expectCode(log.topic('weir.test', 3), 'LOG_PARTITIONS_DIFFER')
        await log.close()
        const again = await open()
        await expectCode(again.topic('weir.test', 1), 'LOG_PARTITIONS_DIFFER')
        expect((await again.topic('weir.test', 2)).partitions).toBe(2)
      })

      test('a topic keeps its log id, which differs from that of any other topic', async () => {
        const { open, log, topic } = await topicOf()
        const other = await log.topic('weir.other', 1)
        expect(other.logId).not.toBe(topic.logId)
        expect(topic.logId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
        await log.close()
        const again = await open({ entropy: seededEntropy(2) })
        expect((await again.topic('weir.test', 1)).logId).toBe(topic.logId)
      })

      test('a topic that is opened twice, even at once, is the same topic', async () => {
        const { log } = await topicOf()
        const [one, two] = await Promise.all([log.topic('weir.twice', 1), log.topic('weir.twice', 1)])
        await one.append(0, record('x'))
        expect(await textsFrom(two, 0n)).toEqual(['x'])
        expect(two.logId).toBe(one.logId)
      })
    })

    describe('closing', () => {
      test('waits for running appends, which are kept', async () => {
        const { open, log, topic } = await topicOf()
        const appends = Promise.all([topic.append(0, record('a')), topic.append(0, record('b'))])
        await log.close()
        await appends
        expect(await textsFrom(await (await open()).topic('weir.test', 1), 0n)).toEqual(['a', 'b'])
      })

      test('every later call reports that the log is closed, and a second close is allowed', async () => {
        const { log, topic } = await topicOf()
        await topic.append(0, record('a'))
        const waiting = expectCode(topic.waitBeyond(0, 5n, new AbortController().signal), 'LOG_CLOSED')
        await log.close()
        await waiting
        await expectCode(topic.append(0, record('b')), 'LOG_CLOSED')
        await expectCode(topic.read(0, 0n, 100), 'LOG_CLOSED')
        await expectCode(topic.bounds(0), 'LOG_CLOSED')
        await expectCode(topic.trim(0, 0n), 'LOG_CLOSED')
        await expectCode(topic.waitBeyond(0, 5n, new AbortController().signal), 'LOG_CLOSED')
        await expectCode(log.topic('weir.test', 1), 'LOG_CLOSED')
        await log.close()
      })
    })

    describe.runIf(traits.embedded)('a full log', () => {
      const VALUE_BYTES = 1000
      const full = { maxBytes: 20_000, segmentBytes: 3000 }
      const append = (topic: Topic, priority: NewRecord['priority']) =>
        topic.append(0, { ...record('x'.repeat(VALUE_BYTES)), priority })

      async function fill(topic: Topic, priority: NewRecord['priority']): Promise<number> {
        for (let count = 0; ; count++) {
          try {
            await append(topic, priority)
          } catch (error) {
            expect(error).toMatchObject({ code: 'LOG_FULL', retriable: true })
            return count
          }
        }
      }

      test('refuses ingestion at 80 %, while control records continue until everything is used', async () => {
        const { log, topic } = await topicOf(full)
        expect(log.space()).toMatchObject({ limitBytes: 20_000, takesIngest: true, takesControl: true })
        const ingested = await fill(topic, 'ingest')
        expect(ingested).toBeGreaterThan(16_000 / (VALUE_BYTES + FRAME_BYTES))
        expect(log.space()).toMatchObject({ takesIngest: false, takesControl: true })
        const controlled = await fill(topic, 'control')
        expect(controlled).toBeGreaterThanOrEqual(3)
        expect(log.space()).toMatchObject({ takesIngest: false, takesControl: false })
        expect(log.space().usedBytes).toBeLessThanOrEqual(20_000 + VALUE_BYTES + FRAME_BYTES)
        expect(await offsetsFrom(topic, 0n)).toHaveLength(ingested + controlled)
      })

      test('refuses ordinary changes from a quarter on, also after a restart, while lines continue', async () => {
        const { open, log, topic } = await topicOf(full)
        const changed = await fill(topic, 'change')
        expect(changed).toBe(Math.floor(5_000 / (VALUE_BYTES + FRAME_BYTES)))
        await append(topic, 'control')
        await log.close()
        const again = await open()
        const reopened = await again.topic('weir.test', 1)
        expect(again.space()).toMatchObject({ takesIngest: true, takesControl: true })
        expect(await fill(reopened, 'change')).toBe(0)
        const lines = await again.topic('weir.lines', 1)
        expect(await fill(lines, 'ingest')).toBeGreaterThan(9)
        expect(await fill(lines, 'control')).toBeGreaterThanOrEqual(3)
      })

      test('counts records that wait for their flush, so simultaneous appends cannot exceed the bound', async () => {
        const { log, topic } = await topicOf(full)
        const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => append(topic, 'ingest')))
        const taken = outcomes.filter(({ status }) => status === 'fulfilled').length
        expect(taken * VALUE_BYTES).toBeLessThanOrEqual(16_000 + VALUE_BYTES)
        expect(log.space().usedBytes).toBeLessThanOrEqual(16_000 + VALUE_BYTES + FRAME_BYTES)
      })

      test('accepts lines again after a trim', async () => {
        const { log, topic } = await topicOf(full)
        await fill(topic, 'ingest')
        await fill(topic, 'control')
        const { next } = await topic.bounds(0)
        await topic.trim(0, next / 2n)
        expect(log.space().takesIngest).toBe(true)
        expect((await append(topic, 'ingest')).offset).toBe(next)
        await topic.trim(0, next + 1n)
        expect(log.space().usedBytes).toBeLessThan(VALUE_BYTES)
        expect(await fill(topic, 'ingest')).toBeGreaterThan(10)
      })

      test('is still full after it is opened again, and continues after a trim', async () => {
        const { open, log, topic } = await topicOf(full)
        await fill(topic, 'ingest')
        await fill(topic, 'control')
        await log.close()
        const again = await open()
        expect(again.space()).toMatchObject({ takesIngest: false, takesControl: false })
        const reopened = await again.topic('weir.test', 1)
        await expectCode(append(reopened, 'ingest'), 'LOG_FULL')
        await expectCode(append(reopened, 'control'), 'LOG_FULL')
        const { next } = await reopened.bounds(0)
        await reopened.trim(0, next)
        expect((await append(reopened, 'ingest')).offset).toBe(next)
      })

      test('counts topics that are not open yet', async () => {
        const { open, log, topic } = await topicOf(full)
        await fill(topic, 'ingest')
        const { usedBytes } = log.space()
        await log.close()
        const other = await (await open()).topic('weir.other', 1)
        await expectCode(append(other, 'ingest'), 'LOG_FULL')
        expect(usedBytes).toBeGreaterThan(15_000)
      })
    })

    test('behaves like a list that grows only at its end and shrinks only at its beginning', async () => {
      const operation = fc.oneof(
        {
          weight: 5,
          arbitrary: fc.record({ append: fc.array(fc.nat(300), { minLength: 1, maxLength: 12 }) }),
        },
        { weight: 2, arbitrary: fc.record({ read: fc.nat(99), maxBytes: fc.nat(1000) }) },
        { weight: 1, arbitrary: fc.record({ trim: fc.nat(100) }) },
        { weight: 1, arbitrary: fc.record({ reopen: fc.constant(true) }) },
      )
      // A broker takes too long for the longest series.
      const series = fc.array(operation, { maxLength: 30, size: traits.embedded ? 'max' : 'small' })
      await fc.assert(
        fc.asyncProperty(series, async operations => {
          const { open, log: firstLog, topic: firstTopic } = await topicOf({ segmentBytes: 1000 })
          let [log, topic] = [firstLog, firstTopic]
          const model: string[] = []
          for (const each of operations) {
            if ('append' in each) {
              const texts = each.append.map((size, place) => `${model.length + place} ${'x'.repeat(size)}`)
              await Promise.all(texts.map(value => topic.append(0, record(value))))
              model.push(...texts)
            } else if ('trim' in each) {
              await topic.trim(0, BigInt(Math.floor((model.length * each.trim) / 100)))
            } else if ('reopen' in each) {
              await log.close()
              log = await open()
              topic = await log.topic('weir.test', 1)
            } else {
              await expectReadAsModel(topic, model, each.read, each.maxBytes)
            }
          }
          const { first, next } = await topic.bounds(0)
          expect(next).toBe(BigInt(model.length))
          expect(await textsFrom(topic, first)).toEqual(model.slice(Number(first)))
        }),
        { numRuns: 40 },
      )
    })
  })
}

async function expectReadAsModel(
  topic: Topic,
  model: string[],
  percent: number,
  maxBytes: number,
): Promise<void> {
  const { first, next } = await topic.bounds(0)
  const from = first + ((next - first) * BigInt(percent)) / 100n
  const records = await topic.read(0, from, maxBytes)
  expect(records.map(text)).toEqual(model.slice(Number(from), Number(from) + records.length))
  expect(records.length > 0).toBe(from < next)
  const bytes = records.reduce((sum, { value }) => sum + value.length, 0)
  if (records.length > 1) expect(bytes).toBeLessThanOrEqual(maxBytes)
}

async function expectTimesFound(topic: Topic): Promise<void> {
  const { first } = await topic.bounds(0)
  const records = await allFrom(topic, first)
  for (let time = START_MS - 210; time < START_MS + 250; time += 7) {
    const expected = records.find(({ appendTimeMs }) => appendTimeMs >= time)?.offset ?? null
    expect(await topic.offsetAtTime(0, time)).toBe(expected)
  }
}

export function record(value: string, priority: NewRecord['priority'] = 'ingest'): NewRecord {
  return { value: Buffer.from(value), producer: null, priority }
}

export function text({ value }: LogRecord): string {
  return value.toString()
}

export async function allFrom(topic: Topic, from: bigint, partition = 0): Promise<LogRecord[]> {
  const all: LogRecord[] = []
  for (let next = from; ; ) {
    const records = await topic.read(partition, next, 10_000)
    const last = records.at(-1)
    if (last === undefined) return all
    all.push(...records)
    next = last.offset + 1n
  }
}

async function textsFrom(topic: Topic, from: bigint, partition = 0): Promise<string[]> {
  return (await allFrom(topic, from, partition)).map(text)
}

async function offsetsFrom(topic: Topic, from: bigint): Promise<bigint[]> {
  return (await allFrom(topic, from)).map(({ offset }) => offset)
}

async function expectCode(call: Promise<unknown>, code: LogError['code']): Promise<void> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(LogError)
  expect(error).toMatchObject({ code })
}

function expectRising(offsets: readonly bigint[]): void {
  for (const [place, offset] of offsets.entries()) {
    if (place > 0) expect(offset).toBeGreaterThan(offsets[place - 1] as bigint)
  }
}
