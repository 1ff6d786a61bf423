import { bucketKeyOf } from '../../engine/processors/throttle.ts'
import { PASSED, ThrottleState } from '../../engine/state/throttle-state.ts'

const START_MS = 1_795_000_000_000
/** Checks that share one millisecond of log time: a record of a thousand lines. */
const CHECKS_PER_RECORD = 1000

interface Load {
  readonly title: string
  readonly keys: number
  readonly checks: number
  readonly limit: number
  readonly windowMs: number
}

const LOADS: readonly Load[] = [
  { title: '1 k keys, limit 100 a second', keys: 1000, checks: 4_000_000, limit: 100, windowMs: 1000 },
  { title: '1 k keys, all far above the limit', keys: 1000, checks: 4_000_000, limit: 2, windowMs: 60_000 },
  {
    title: '1 M keys, one pass each, then all full',
    keys: 1_000_000,
    checks: 3_000_000,
    limit: 1,
    windowMs: 60_000,
  },
]

/**
 * Checks of the throttle a second, key text built per event as in life. The floor is a plain Map of the same keys
 * to a counter, in the same run: it keeps no pass times and cannot say when a window is over.
 */
export async function run(print: (line: string) => void): Promise<void> {
  for (const load of LOADS) {
    const numbers = keySequence(load)
    const map = timed(() => countInMap(numbers, load))
    const throttle = timed(() => judgeAll(numbers, load))
    const perSecond = (ms: number) => `${(load.checks / ms / 1000).toFixed(2)} M/s`
    print(
      `${load.title}: ${perSecond(throttle.ms)}, ${(throttle.ms / map.ms).toFixed(2)} x a plain Map (${perSecond(map.ms)})`,
    )
    const { buckets, runs, bytes, keyBytes } = throttle.result.measure()
    const snapshot = timed(() => throttle.result.snapshot())
    const restored = timed(() => ThrottleState.restore(snapshot.result))
    print(
      `  ${buckets} buckets, ${(runs / buckets).toFixed(1)} runs each: ${(bytes / buckets).toFixed(1)} B a bucket, ` +
        `${(keyBytes / buckets).toFixed(1)} B of key text; snapshot ${(snapshot.result.length / 1e6).toFixed(1)} MB ` +
        `in ${snapshot.ms.toFixed(0)} ms, restored in ${restored.ms.toFixed(0)} ms`,
    )
  }
}

function judgeAll(numbers: Uint32Array, { limit, windowMs }: Load): ThrottleState {
  const state = new ThrottleState(undefined, 12345)
  const rule = { limit, windowMs }
  let passed = 0
  for (let check = 0; check < numbers.length; check++) {
    if (check % CHECKS_PER_RECORD === 0) state.advance(START_MS + check / CHECKS_PER_RECORD, windowMs)
    if (state.judge(bucketKeyOf(keyText(numbers[check] as number)), rule) === PASSED) passed++
  }
  if (passed === 0) throw new Error('nothing passed')
  return state
}

function countInMap(numbers: Uint32Array, { limit }: Load): number {
  const counts = new Map<string, number>()
  let passed = 0
  for (let check = 0; check < numbers.length; check++) {
    const key = keyText(numbers[check] as number)
    const count = counts.get(key) ?? 0
    if (count < limit) passed++
    counts.set(key, count + 1)
  }
  return passed
}

function keyText(number: number): string {
  return `app-${number}`
}

/** Every key once, then keys in no order; the same on every run. */
function keySequence({ keys, checks }: Load): Uint32Array {
  const numbers = new Uint32Array(checks)
  let mixed = 1
  for (let check = 0; check < checks; check++) {
    mixed = (Math.imul(mixed, 1_664_525) + 1_013_904_223) >>> 0
    numbers[check] = check < keys ? check : (mixed >>> 8) % keys
  }
  return numbers
}

function timed<T>(work: () => T): { readonly result: T; readonly ms: number } {
  const start = performance.now()
  const result = work()
  return { result, ms: performance.now() - start }
}
