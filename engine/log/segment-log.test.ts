import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type FileCall, SimulatedFiles } from '../../test/support/simulated-files.ts'
import { manualClock } from '../clock/manual-clock.ts'
import type { Entropy } from '../entropy/entropy.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { frameBytes } from './frame.ts'
import type { Log, LogRecord, NewRecord, Topic } from './log.ts'
import { openSegmentLog, type SegmentLogOptions } from './segment-log.ts'

const PARTITION = '/data/weir.test/0'
const FIRST_SEGMENT = `${PARTITION}/00000000000000000000.segment`

function record(text: string, priority: NewRecord['priority'] = 'ingest'): NewRecord {
  return { value: Buffer.from(text), producer: { id: 'producer', sequence: 7 }, priority }
}

class Bench {
  readonly files = new SimulatedFiles(seededEntropy(5))
  readonly clock = manualClock()
  readonly #options: Partial<SegmentLogOptions>

  constructor(options: Partial<SegmentLogOptions> = {}) {
    this.#options = options
  }

  async open(entropy: Entropy = seededEntropy(6)): Promise<{ log: Log; topic: Topic }> {
    const log = await openSegmentLog({
      directory: '/data',
      clock: this.clock,
      entropy,
      maxBytes: 1_000_000,
      minFreeDiskBytes: 0,
      operations: this.files,
      ...this.#options,
    })
    return { log, topic: await log.topic('weir.test', 1) }
  }

  /** Values that a new start reads. */
  async reopened(): Promise<string[]> {
    const { log, topic } = await this.open()
    const { first } = await topic.bounds(0)
    const records = await topic.read(0, first, 1_000_000)
    await log.close()
    return records.map(text)
  }

  failing(calls: FileCall[], code = 'EIO', times = Number.POSITIVE_INFINITY): void {
    let left = times
    this.files.fail = call => (calls.includes(call) && left-- > 0 ? code : undefined)
  }
}

const text = ({ value }: LogRecord) => value.toString()

describe('a start after a crash', () => {
  const TEXTS = ['first', 'second', 'a third one that is longer']

  /** Writes three records, each in its own flush. @returns where each ends */
  async function written() {
    const bench = new Bench()
    const { log, topic } = await bench.open()
    for (const each of TEXTS) await topic.append(0, record(each))
    await log.close()
    let end = 0
    const ends = TEXTS.map(each => {
      end += frameBytes(record(each))
      return end
    })
    return { bench, whole: bench.files.contentOf(FIRST_SEGMENT), ends }
  }

  test('cuts a file that ends at any byte after its last whole record, and continues there', async () => {
    const { bench, whole, ends } = await written()
    expect(whole.length).toBe(ends.at(-1))
    for (let length = 0; length <= whole.length; length++) {
      bench.files.replace(FIRST_SEGMENT, whole.subarray(0, length))
      const kept = ends.filter(end => end <= length).length
      const { log, topic } = await bench.open()
      expect(await topic.bounds(0)).toEqual({ first: 0n, next: BigInt(kept) })
      expect((await topic.append(0, record('new'))).offset).toBe(BigInt(kept))
      await log.close()
      expect(await bench.reopened()).toEqual([...TEXTS.slice(0, kept), 'new'])
    }
  })

  test('cuts a last record with any wrong bit', async () => {
    const { bench, whole, ends } = await written()
    for (let bit = (ends[1] as number) * 8; bit < whole.length * 8; bit++) {
      bench.files.replace(FIRST_SEGMENT, withBitFlipped(whole, bit))
      expect(await bench.reopened()).toEqual(TEXTS.slice(0, 2))
    }
  })

  test('refuses a wrong bit in a record that a later flush proves durable, with file and byte', async () => {
    const { bench, whole, ends } = await written()
    for (let bit = 0; bit < (ends[1] as number) * 8; bit += 3) {
      bench.files.replace(FIRST_SEGMENT, withBitFlipped(whole, bit))
      const damagedAt = bit < (ends[0] as number) * 8 ? 0 : ends[0]
      await expect(bench.open()).rejects.toMatchObject({
        code: 'LOG_CORRUPT',
        message: expect.stringContaining(`${FIRST_SEGMENT} is damaged at byte ${damagedAt}:`),
      })
    }
  })

  test('says where to cut off a damaged file, which then has the sound records before the damage', async () => {
    const { bench, whole, ends } = await written()
    bench.files.replace(FIRST_SEGMENT, withBitFlipped(whole, (ends[0] as number) * 8 + 100))
    const refusal = await bench.open().catch((error: Error) => error.message)
    expect(refusal).toMatch(
      /Stop the service, and put this file from a backup in its place\. Without one, .* cut the file off/,
    )
    const byte = Number(/ is damaged at byte (\d+):/.exec(String(refusal))?.[1])
    bench.files.replace(FIRST_SEGMENT, whole.subarray(0, byte))
    expect(await bench.reopened()).toEqual(TEXTS.slice(0, 1))
  })

  test('cuts garbage and zeros behind the last record with the first append, and not earlier', async () => {
    const { bench, whole } = await written()
    for (const garbage of [Buffer.alloc(5000), seededEntropy(1).bytes(5000), Buffer.from([1])]) {
      const torn = Buffer.concat([whole, garbage])
      bench.files.replace(FIRST_SEGMENT, torn)
      const before = bench.files.count('truncate')
      expect(await bench.reopened()).toEqual(TEXTS)
      expect(bench.files.contentOf(FIRST_SEGMENT)).toEqual(torn)
      expect(bench.files.count('truncate')).toBe(before)
      const { log, topic } = await bench.open()
      await topic.append(0, record('new'))
      await log.close()
      expect(bench.files.contentOf(FIRST_SEGMENT).length).toBe(whole.length + frameBytes(record('new')))
      expect(await bench.reopened()).toEqual([...TEXTS, 'new'])
    }
  })

  test('cuts a first flush of which only zeros, or no whole frame prefix, reached the disk', async () => {
    const { bench, whole } = await written()
    const beginnings = [1, 3, 11].map(length => seededEntropy(1).bytes(length))
    for (const torn of [Buffer.alloc(3), Buffer.alloc(5000), ...beginnings]) {
      bench.files.replace(FIRST_SEGMENT, torn)
      const { log, topic } = await bench.open()
      expect((await topic.append(0, record('new'))).offset).toBe(0n)
      await log.close()
      expect(await bench.reopened()).toEqual(['new'])
    }
    // Only a later sector of the flush reached the disk.
    bench.files.replace(FIRST_SEGMENT, Buffer.concat([Buffer.alloc(512), whole.subarray(20)]))
    await expect(bench.open()).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
    bench.files.replace(
      FIRST_SEGMENT,
      Buffer.concat([Buffer.alloc(512), whole.subarray(20, frameBytes(record('first')))]),
    )
    expect(await bench.reopened()).toEqual([])
  })

  test('cuts a flush that was torn in its first record as a whole, even if later records are intact', async () => {
    const bench = new Bench()
    const { log, topic } = await bench.open()
    await topic.append(0, record('durable'))
    await Promise.all(['a', 'b', 'c'].map(each => topic.append(0, record(each))))
    await log.close()
    const torn = withBitFlipped(
      bench.files.contentOf(FIRST_SEGMENT),
      (frameBytes(record('durable')) + 20) * 8,
    )
    bench.files.replace(FIRST_SEGMENT, torn)
    expect(await bench.reopened()).toEqual(['durable'])
  })

  test('ignores frames of another log in a torn tail', async () => {
    const { bench, whole } = await written()
    const foreign = new Bench()
    const { log, topic } = await foreign.open(seededEntropy(99))
    for (let number = 0; number < 9; number++) await topic.append(0, record('elsewhere'))
    await log.close()
    const tail = Buffer.concat([Buffer.from('torn'), foreign.files.contentOf(FIRST_SEGMENT)])
    bench.files.replace(FIRST_SEGMENT, Buffer.concat([whole, tail]))
    expect(await bench.reopened()).toEqual(TEXTS)
  })
})

describe('missing or damaged data is reported and never ignored', () => {
  async function threeSegments() {
    const bench = new Bench({ segmentBytes: 100, cacheBytes: 0 })
    const { log, topic } = await bench.open()
    for (let number = 0; number < 6; number++) await topic.append(0, record(`${number}`.repeat(80)))
    await log.close()
    const segments = bench.files.paths(PARTITION).filter(path => path.endsWith('.segment'))
    expect(segments).toHaveLength(6)
    return { bench, segments }
  }

  test('a missing segment in the middle', async () => {
    const { bench, segments } = await threeSegments()
    await bench.files.remove(segments[2] as string)
    await expect(bench.open()).rejects.toMatchObject({
      code: 'LOG_CORRUPT',
      message: expect.stringContaining(`${segments[1]} is damaged at byte`),
    })
  })

  test('a partition without any segment', async () => {
    const { bench, segments } = await threeSegments()
    for (const path of segments) await bench.files.remove(path)
    await expect(bench.open()).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
  })

  test('records without the metadata of their topic', async () => {
    const { bench } = await threeSegments()
    await bench.files.remove('/data/weir.test/topic.json')
    await expect(bench.open()).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
  })

  test('metadata that are damaged or of a newer format', async () => {
    const { bench } = await threeSegments()
    for (const content of ['', '{"formatVersion":1', '{"formatVersion":2,"logId":"x","partitions":1}']) {
      bench.files.replace('/data/weir.test/topic.json', Buffer.from(content))
      await expect(bench.open()).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
    }
  })

  test('a wrong bit in an old segment, when it is read', async () => {
    const { bench, segments } = await threeSegments()
    const path = segments[3] as string
    bench.files.replace(path, withBitFlipped(bench.files.contentOf(path), 400))
    const { log, topic } = await bench.open()
    expect((await topic.read(0, 2n, 1)).map(({ offset }) => offset)).toEqual([2n])
    await expect(topic.read(0, 3n, 1)).rejects.toMatchObject({
      code: 'LOG_CORRUPT',
      message: expect.stringContaining(`${path} is damaged at byte 0:`),
    })
    expect((await topic.read(0, 4n, 1)).map(({ offset }) => offset)).toEqual([4n])
    await log.close()
  })

  test('a missing or damaged index file is not a loss, because it is created again', async () => {
    const { bench, segments } = await threeSegments()
    const [first, second] = segments.map(path => path.replace('.segment', '.index')) as [string, string]
    const whole = bench.files.contentOf(first)
    await bench.files.remove(first)
    bench.files.replace(second, withBitFlipped(bench.files.contentOf(second), 70))
    const { log, topic } = await bench.open()
    expect(await topic.read(0, 0n, 1)).toHaveLength(1)
    expect(await topic.offsetAtTime(0, bench.clock.wallMs())).toBe(0n)
    expect(bench.files.paths(PARTITION)).not.toContain(first) // a start alone writes nothing
    await topic.append(0, record('new'))
    await log.close()
    expect(bench.files.contentOf(first)).toEqual(whole)
  })
})

describe('one flush for all waiting appends', () => {
  test('16 appends at once take one flush; 16 one after another take 16', async () => {
    const { files, ...bench } = await openBench()
    const before = files.count('datasync')
    await Promise.all(Array.from({ length: 16 }, () => bench.topic.append(0, record('together'))))
    expect(files.count('datasync') - before).toBe(1)
    expect(files.count('write')).toBeLessThanOrEqual(before + 1)
    for (let number = 0; number < 16; number++) await bench.topic.append(0, record('alone'))
    expect(files.count('datasync') - before).toBe(17)
  })

  test('16 writers that append as soon as they are answered share their flushes', async () => {
    const { files, topic } = await openBench()
    const before = files.count('datasync')
    const write = async () => {
      for (let number = 0; number < 50; number++) await topic.append(0, record('x'))
    }
    await Promise.all(Array.from({ length: 16 }, write))
    expect(files.count('datasync') - before).toBeLessThanOrEqual(60)
  })

  test('no reader sees a record before its flush has ended', async () => {
    const { files, topic } = await openBench()
    const nextSeen: Promise<bigint>[] = []
    files.fail = call => {
      if (call === 'datasync') nextSeen.push(topic.bounds(0).then(({ next }) => next))
      return undefined
    }
    await topic.append(0, record('a'))
    await topic.append(0, record('b'))
    expect(await Promise.all(nextSeen)).toEqual([0n, 1n])
  })
})

describe('a failed write', () => {
  test('is repeated once without an error', async () => {
    for (const call of ['write', 'datasync'] as const) {
      const bench = await openBench()
      bench.failing([call], 'EIO', 1)
      expect((await bench.topic.append(0, record('a'))).offset).toBe(0n)
      bench.files.losePower()
      expect(await bench.reopened()).toEqual(['a'])
    }
  })

  test('leaves the outcome unknown if the repeat fails, until an append succeeds', async () => {
    const bench = await openBench()
    await bench.topic.append(0, record('a'))
    bench.failing(['datasync', 'truncate'])
    await expect(bench.topic.append(0, record('b'))).rejects.toMatchObject({
      code: 'LOG_UNAVAILABLE',
      retriable: true,
    })
    await expect(bench.topic.append(0, record('c'))).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' })
    expect(await bench.topic.bounds(0)).toEqual({ first: 0n, next: 1n })
    bench.failing([])
    expect((await bench.topic.append(0, record('d'))).offset).toBe(1n)
    bench.files.losePower()
    expect(await bench.reopened()).toEqual(['a', 'd'])
  })

  test('for lack of space reports a full log and stores nothing, while control records may still fit', async () => {
    const bench = await openBench()
    await bench.topic.append(0, record('a'))
    bench.files.capacityBytes = usedOf(bench.files) + 200
    const outcomes = await Promise.allSettled([
      bench.topic.append(0, record('b'.repeat(150))),
      bench.topic.append(0, record('c', 'control')),
      bench.topic.append(0, record('d'.repeat(150))),
    ])
    const full = {
      status: 'rejected',
      reason: expect.objectContaining({ code: 'LOG_FULL', retriable: true }),
    }
    expect(outcomes).toEqual([
      full,
      { status: 'fulfilled', value: expect.objectContaining({ offset: 1n }) },
      full,
    ])
    bench.files.losePower()
    expect(await bench.reopened()).toEqual(['a', 'c'])
  })

  test('for lack of space has an unknown outcome as long as its remains cannot be cut off', async () => {
    const bench = await openBench()
    bench.files.capacityBytes = usedOf(bench.files) + 20
    bench.failing(['truncate'])
    await expect(bench.topic.append(0, record('a'))).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' })
  })
})

describe('a disk with little free space', () => {
  const full = {
    code: 'LOG_FULL',
    message: expect.stringMatching(/^The log is full: its disk has \d+ bytes left\.$/),
  }

  test('stops ingestion at the bound, counting its own writes at once, while control records continue', async () => {
    const { files, clock, log, topic } = await openBench({ minFreeDiskBytes: 10_000 })
    files.capacityBytes = usedOf(files) + 10_000 + frameBytes(record('fits'))
    clock.advance(1000)
    await topic.append(0, record('fits'))
    await topic.append(0, record('at the bound'))
    await expect(topic.append(0, record('below it'))).rejects.toMatchObject(full)
    expect(log.space().takesIngest).toBe(false)
    await topic.append(0, record('control', 'control'))
  })

  test('notices within a second the writes and removals of others', async () => {
    const { files, clock, log, topic } = await openBench({ minFreeDiskBytes: 10_000 })
    files.capacityBytes = usedOf(files) + 20_000
    clock.advance(1000)
    await topic.append(0, record('fits'))
    files.capacityBytes -= 15_000
    clock.advance(999)
    await topic.append(0, record('not seen yet'))
    clock.advance(1)
    await expect(topic.append(0, record('too late'))).rejects.toMatchObject(full)
    files.capacityBytes += 15_000
    clock.advance(1000)
    expect(log.space().takesIngest).toBe(true)
    await topic.append(0, record('again'))
  })

  test('a log on a full disk opens, removes all records and continues', async () => {
    const bench = await openBench({ segmentBytes: 2000, minFreeDiskBytes: 0 })
    for (let number = 0; number < 50; number++) await bench.topic.append(0, record('x'.repeat(100)))
    await bench.log.close()
    bench.files.capacityBytes = usedOf(bench.files)
    const { log, topic } = await bench.open()
    await expect(topic.append(0, record('x'.repeat(100), 'control'))).rejects.toMatchObject({
      code: 'LOG_FULL',
    })
    await topic.trim(0, 50n)
    expect((await topic.append(0, record('y'))).offset).toBe(50n)
    await log.close()
  })
})

test('one process at a time owns a folder, and the refusal names it', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'weir-log-'))
  const options = {
    directory,
    clock: manualClock(),
    entropy: seededEntropy(1),
    maxBytes: 1e6,
    minFreeDiskBytes: 0,
  }
  const log = await openSegmentLog(options)
  await expect(openSegmentLog(options)).rejects.toMatchObject({
    code: 'LOG_IN_USE',
    message: expect.stringContaining(`process ${process.pid}`),
  })
  await log.close()
  await (await openSegmentLog(options)).close()
  await rm(directory, { recursive: true })
})

async function openBench(options: Partial<SegmentLogOptions> = {}) {
  const bench = new Bench(options)
  const { log, topic } = await bench.open()
  return {
    files: bench.files,
    clock: bench.clock,
    log,
    topic,
    open: () => bench.open(),
    reopened: () => bench.reopened(),
    failing: bench.failing.bind(bench),
  }
}

function usedOf(files: SimulatedFiles): number {
  return files.paths('/data').reduce((sum, path) => sum + files.contentOf(path).length, 0)
}

function withBitFlipped(bytes: Buffer, bit: number): Buffer {
  const flipped = Buffer.from(bytes)
  flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
  return flipped
}
