import type { JsonObject } from '../../schemas/json.ts'
import type { BucketFigures, BucketRule, BucketView, BusyBucket, Passes } from '../nodes/contract/buckets.ts'
import type { MemoryPlace, PresentMemory } from './present-memory.ts'

/** The present state of a bucket of a throttle. */
export interface PresentBucket extends BusyBucket {
  /** UNIX ms; undefined: the key is not exempt. */
  readonly exemptUntilMs: number | undefined
}

export interface PresentThrottle {
  /** The end of the window, UNIX ms. */
  readonly atMs: number
  /** The rule; undefined while no partition has applied a revision with the throttle. */
  readonly rule: BucketRule | undefined
  readonly totals: BucketFigures
  readonly buckets: readonly PresentBucket[]
}

/** Chooses buckets of one partition. */
type Choice = (
  view: BucketView<unknown, JsonObject>,
  state: unknown,
  atMs: number,
  rule: BucketRule,
) => readonly BusyBucket[]

/** Reads the buckets of a deployed throttle, for people. */
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
   * The buckets that passed most events in the window that ends now, busiest first.
   *
   * @param nowMs time at which an event that is sent now is judged; log time may be ahead of it
   * @throws MemoryUnavailableError
   */
  async busiest(nowMs: number, limit: number): Promise<PresentThrottle> {
    const found = await this.#look(nowMs, (view, state, atMs, { windowMs }) =>
      view.busiest(state, limit, atMs, windowMs),
    )
    const buckets = found.buckets.toSorted((a, b) => b.count - a.count)
    return { ...found, buckets: buckets.slice(0, limit) }
  }

  /**
   * The bucket of one key, which need not have passed anything. A key without a bucket of its own has the common passes
   * of all such keys.
   *
   * @param key undefined: that of events without a key
   * @throws MemoryUnavailableError
   */
  async one(nowMs: number, key: string | undefined): Promise<PresentThrottle> {
    const found = await this.#look(nowMs, (view, state, atMs, { windowMs }) => {
      const passes = view.passesOf(state, key).filter(({ timeMs }) => atMs - timeMs < windowMs)
      const count = passes.reduce((sum, pass) => sum + pass.count, 0)
      if (key === undefined) return [{ kind: 'default', count, passes }]
      const kind = view.has(state, key) || passes.length === 0 ? 'key' : 'shared'
      return [{ kind, key: { text: key, isDigest: false }, count, passes }]
    })
    const own = found.buckets.filter(({ kind }) => kind !== 'shared')
    return { ...found, buckets: own.length > 0 ? own : found.buckets }
  }

  async #look(nowMs: number, choose: Choice): Promise<PresentThrottle> {
    let latestMs = nowMs
    let newestRule: BucketRule | undefined
    let totals: BucketFigures = { buckets: 0, runs: 0, joinedPasses: 0, bytes: 0, keyBytes: 0 }
    const found = new Map<string, PresentBucket>()
    await this.#memory.look(this.#place, this.#isSpread, ({ memory: { kind, value, config }, timeMs }) => {
      const view = kind.buckets
      if (view === undefined) return
      const rule = view.rule(config)
      const atMs = Math.max(nowMs, timeMs)
      latestMs = Math.max(latestMs, atMs)
      newestRule = rule
      totals = sumOf(totals, view.figures(value))
      for (const bucket of choose(view, value, atMs, rule)) {
        const name = `${bucket.kind} ${bucket.key?.isDigest} ${bucket.key?.text}`
        const present = { ...bucket, exemptUntilMs: exemptUntilMs(view, value, bucket, atMs) }
        const known = found.get(name)
        found.set(name, known === undefined ? present : joined(known, present))
      }
    })
    return { atMs: latestMs, rule: newestRule, totals, buckets: [...found.values()] }
  }
}

function sumOf(a: BucketFigures, b: BucketFigures): BucketFigures {
  return {
    buckets: a.buckets + b.buckets,
    runs: a.runs + b.runs,
    joinedPasses: a.joinedPasses + b.joinedPasses,
    bytes: a.bytes + b.bytes,
    keyBytes: a.keyBytes + b.keyBytes,
  }
}

function exemptUntilMs(
  view: BucketView<unknown, JsonObject>,
  state: unknown,
  { kind, key }: BusyBucket,
  atMs: number,
): number | undefined {
  if (kind !== 'default' && (key === undefined || key.isDigest)) return undefined
  const untilMs = view.exemptUntilMs(state, key?.text)
  return atMs < untilMs ? untilMs : undefined
}

/** Joins the buckets of two partitions into one. */
function joined(one: PresentBucket, other: PresentBucket): PresentBucket {
  // The shared bucket of keys without their own is copied to every partition where such a key may occur.
  if (one.kind === 'shared') return one.count < other.count ? other : one
  const passes: Passes[] = [...one.passes, ...other.passes].sort((a, b) => a.timeMs - b.timeMs)
  return {
    ...one,
    count: one.count + other.count,
    passes,
    exemptUntilMs: one.exemptUntilMs ?? other.exemptUntilMs,
  }
}
