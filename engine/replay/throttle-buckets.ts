import { throttleRuleOf } from '../nodes/processors/throttle/throttle.ts'
import {
  type BusyBucket,
  type Passes,
  type ThrottleRule,
  ThrottleState,
} from '../nodes/processors/throttle/throttle-state.ts'
import type { MemoryPlace, PresentMemory } from './present-memory.ts'

/** A bucket of a throttle as it is now. */
export interface PresentBucket extends BusyBucket {
  /** UNIX ms; undefined: it is not exempt. */
  readonly exemptUntilMs: number | undefined
}

/** What a throttle holds, over all partitions. */
export interface ThrottleTotals {
  readonly buckets: number
  readonly runs: number
  readonly joinedPasses: number
  readonly bytes: number
  readonly keyBytes: number
}

export interface PresentThrottle {
  /** The end of the window, UNIX ms. */
  readonly atMs: number
  /** undefined while no partition has taken a revision with the throttle. */
  readonly rule: ThrottleRule | undefined
  readonly totals: ThrottleTotals
  readonly buckets: readonly PresentBucket[]
}

/** Of one partition. */
type Choice = (state: ThrottleState, atMs: number, rule: ThrottleRule) => BusyBucket[]

/** Looks into a throttle that runs, for people. */
export class ThrottleBuckets {
  readonly #memory: PresentMemory
  readonly #place: MemoryPlace
  readonly #isSpread: boolean

  /** @param isSpread whether the account is, or was, on many partitions */
  constructor(memory: PresentMemory, place: MemoryPlace, isSpread: boolean) {
    this.#memory = memory
    this.#place = place
    this.#isSpread = isSpread
  }

  /**
   * The buckets that passed most in the window that ends now, the busiest first.
   *
   * @param nowMs when an event that is sent now is judged; log time may be ahead of it
   * @throws MemoryUnavailableError
   */
  async busiest(nowMs: number, limit: number): Promise<PresentThrottle> {
    const found = await this.#look(nowMs, (state, atMs, { windowMs }) => state.busiest(limit, atMs, windowMs))
    const buckets = found.buckets.toSorted((a, b) => b.count - a.count)
    return { ...found, buckets: buckets.slice(0, limit) }
  }

  /**
   * The bucket of one key, which need not have passed anything. A key without a bucket of its own has passed what all
   * such keys have passed together.
   *
   * @param key undefined: that of events without a key
   * @throws MemoryUnavailableError
   */
  async one(nowMs: number, key: string | undefined): Promise<PresentThrottle> {
    const found = await this.#look(nowMs, (state, atMs, { windowMs }) => {
      const passes = state.passesOf(key).filter(({ timeMs }) => atMs - timeMs < windowMs)
      const count = passes.reduce((sum, pass) => sum + pass.count, 0)
      if (key === undefined) return [{ kind: 'default', count, passes }]
      const kind = state.has(key) || passes.length === 0 ? 'key' : 'shared'
      return [{ kind, key: { text: key, isDigest: false }, count, passes }]
    })
    const own = found.buckets.filter(({ kind }) => kind !== 'shared')
    return { ...found, buckets: own.length > 0 ? own : found.buckets }
  }

  async #look(nowMs: number, choose: Choice): Promise<PresentThrottle> {
    let latestMs = nowMs
    let newestRule: ThrottleRule | undefined
    let totals: ThrottleTotals = { buckets: 0, runs: 0, joinedPasses: 0, bytes: 0, keyBytes: 0 }
    const found = new Map<string, PresentBucket>()
    await this.#memory.look(this.#place, this.#isSpread, ({ memory: { value, config }, timeMs }) => {
      if (!(value instanceof ThrottleState)) return
      const rule = throttleRuleOf(config)
      const atMs = Math.max(nowMs, timeMs)
      latestMs = Math.max(latestMs, atMs)
      newestRule = rule
      totals = sumOf(totals, value.measure())
      for (const bucket of choose(value, atMs, rule)) {
        const name = `${bucket.kind} ${bucket.key?.isDigest} ${bucket.key?.text}`
        const present = { ...bucket, exemptUntilMs: exemptUntilMs(value, bucket, atMs) }
        const known = found.get(name)
        found.set(name, known === undefined ? present : joined(known, present))
      }
    })
    return { atMs: latestMs, rule: newestRule, totals, buckets: [...found.values()] }
  }
}

function sumOf(a: ThrottleTotals, b: ThrottleTotals): ThrottleTotals {
  return {
    buckets: a.buckets + b.buckets,
    runs: a.runs + b.runs,
    joinedPasses: a.joinedPasses + b.joinedPasses,
    bytes: a.bytes + b.bytes,
    keyBytes: a.keyBytes + b.keyBytes,
  }
}

function exemptUntilMs(state: ThrottleState, { kind, key }: BusyBucket, atMs: number): number | undefined {
  if (kind !== 'default' && (key === undefined || key.isDigest)) return undefined
  const untilMs = state.exemptUntilMs(key?.text)
  return atMs < untilMs ? untilMs : undefined
}

/** One bucket of two partitions. */
function joined(one: PresentBucket, other: PresentBucket): PresentBucket {
  // What keys without a bucket have passed together is copied wherever such a key may turn up.
  if (one.kind === 'shared') return one.count < other.count ? other : one
  const passes: Passes[] = [...one.passes, ...other.passes].sort((a, b) => a.timeMs - b.timeMs)
  return {
    ...one,
    count: one.count + other.count,
    passes,
    exemptUntilMs: one.exemptUntilMs ?? other.exemptUntilMs,
  }
}
