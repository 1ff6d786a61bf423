import { describe, expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { type Log, LogError, type Topic } from '../../engine/log/log.ts'
import { openSegmentLog } from '../../engine/log/segment-log.ts'
import { IS_LONG } from '../support/long-form.ts'
import { SimulatedFiles } from '../support/simulated-files.ts'
import { allFrom } from './log-contract.ts'

const WORLDS = Array.from({ length: 250 }, (_, index) => index + 1)
/** The long form has the worlds that the short form has not. */
const SEEDS = IS_LONG ? WORLDS.slice(80) : WORLDS.slice(0, 80)
const LIVES = 4
const MAX_BYTES = 60_000

/**
 * Whole worlds from one seed: simultaneous appends, trims, failing calls, a disk that fills up, and a power failure at
 * any call. After each life, all promises are compared with the content of the log.
 */
for (const seed of SEEDS) {
  test(`acknowledged records survive every power loss, and refused ones are absent (SEED=${seed})`, async () => {
    const world = new World(seed)
    for (let life = 0; life < LIVES; life++) await world.live()
    await world.check()
  })
}

describe('the simulation detects', () => {
  test('a disk that acknowledges flushes without making them, because acknowledged records are lost', async () => {
    expect(await brokenSeeds(files => pretend(files, 'datasync'))).toBeGreaterThan(0)
  })

  test('a log that does not cut off the remains of a failed flush, because acknowledged records are lost or duplicated', async () => {
    expect(await brokenSeeds(files => pretend(files, 'truncate'))).toBeGreaterThan(0)
  })
})

/** Number of worlds in which a check fails when the files are broken. */
async function brokenSeeds(breakFiles: (files: SimulatedFiles) => void): Promise<number> {
  let broken = 0
  for (const seed of SEEDS.slice(0, 40)) {
    const world = new World(seed)
    breakFiles(world.files)
    try {
      for (let life = 0; life < LIVES; life++) await world.live()
      await world.check()
    } catch {
      broken++
    }
  }
  return broken
}

/** Makes the call return at once without effect from now on. */
function pretend(files: SimulatedFiles, call: 'datasync' | 'truncate'): void {
  const open = files.open.bind(files)
  files.open = async (path, mode) => ({ ...(await open(path, mode)), [call]: async () => undefined })
}

class World {
  readonly files: SimulatedFiles
  readonly #entropy: ReturnType<typeof seededEntropy>
  readonly #clock = manualClock()
  /** Acknowledged value by offset. */
  readonly #acknowledged = new Map<bigint, string>()
  /** Values of which the log said that it has not stored them. */
  readonly #refused = new Set<string>()
  /** Records that any reader has seen, by offset. */
  readonly #seen = new Map<bigint, string>()
  #trimmedBefore = 0n
  #values = 0

  constructor(seed: number) {
    this.#entropy = seededEntropy(seed)
    this.files = new SimulatedFiles(seededEntropy(seed + 1_000_000))
  }

  /** Opens the log, checks it, uses it until the power is lost. */
  async live(): Promise<void> {
    await this.check()
    let callsLeft = this.#below(400)
    let isDark = false
    this.files.fail = call => {
      isDark ||= callsLeft-- <= 0
      if (isDark) return 'EIO'
      const mayFail = call !== 'open' && call !== 'read'
      return mayFail && this.#below(40) === 0 ? 'EIO' : undefined
    }
    this.files.capacityBytes = 20_000 + this.#below(60_000)
    const log = await this.#open().catch(() => undefined)
    const topic = await log?.topic('weir.test', 1).catch(() => undefined)
    while (topic !== undefined && !isDark) await this.#act(topic)
    isDark = true
    await log?.close().catch(() => undefined)
    this.files.losePower()
    this.files.fail = () => undefined
    this.files.capacityBytes = Number.POSITIVE_INFINITY
  }

  async check(): Promise<void> {
    const log = await this.#open()
    const topic = await log.topic('weir.test', 1)
    const { first, next } = await topic.bounds(0)
    const records = await allFrom(topic, first)
    await log.close()
    expect(records.map(({ offset }) => offset)).toEqual(range(first, next))
    expect(first).toBeLessThanOrEqual(this.#trimmedBefore)
    const kept = new Map(records.map(({ offset, value }) => [offset, value.toString()]))
    for (const promised of [this.#acknowledged, this.#seen]) {
      for (const [offset, value] of promised) {
        expect(offset).toBeLessThan(next)
        if (offset >= first) expect(kept.get(offset)).toBe(value)
      }
    }
    expect(new Set(kept.values()).size).toBe(kept.size)
    for (const value of kept.values()) expect(this.#refused.has(value)).toBe(false)
  }

  #open(): Promise<Log> {
    return openSegmentLog({
      directory: '/data',
      clock: this.#clock,
      entropy: this.#entropy,
      maxBytes: MAX_BYTES,
      segmentBytes: 4000,
      minFreeDiskBytes: 1000,
      cacheBytes: 5000,
      operations: this.files,
    })
  }

  async #act(topic: Topic): Promise<void> {
    const choice = this.#below(10)
    if (choice < 7) {
      await Promise.all(Array.from({ length: 1 + this.#below(8) }, () => this.#append(topic)))
    } else if (choice < 9) {
      const { first, next } = await topic.bounds(0)
      const from = first + BigInt(this.#below(Number(next - first) + 1))
      const records = await topic.read(0, from, 3000).catch(ignoreUnavailable)
      for (const { offset, value } of records ?? []) this.#seen.set(offset, value.toString())
    } else {
      const { first, next } = await topic.bounds(0)
      const before = first + BigInt(this.#below(Number(next - first) + 1))
      if (before > this.#trimmedBefore) this.#trimmedBefore = before
      await topic.trim(0, before).catch(ignoreUnavailable)
    }
    this.#clock.advance(this.#below(2000))
  }

  async #append(topic: Topic): Promise<void> {
    const value = `${this.#values++} ${'x'.repeat(this.#below(1500))}`
    const priority = this.#below(4) === 0 ? 'control' : 'ingest'
    try {
      const { offset } = await topic.append(0, { value: Buffer.from(value), producer: null, priority })
      expect(this.#acknowledged.has(offset)).toBe(false)
      this.#acknowledged.set(offset, value)
    } catch (error) {
      if (!(error instanceof LogError)) throw error
      if (error.code === 'LOG_FULL') this.#refused.add(value)
      else expect(error.code).toBe('LOG_UNAVAILABLE')
    }
  }

  #below(limit: number): number {
    return this.#entropy.bytes(4).readUInt32LE() % limit
  }
}

function ignoreUnavailable(error: unknown): undefined {
  if (error instanceof LogError && error.code === 'LOG_UNAVAILABLE') return undefined
  throw error
}

function range(first: bigint, next: bigint): bigint[] {
  return Array.from({ length: Number(next - first) }, (_, place) => first + BigInt(place))
}
