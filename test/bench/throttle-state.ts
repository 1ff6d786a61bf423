import { bucketKeyOf } from '../../engine/nodes/processors/throttle/throttle.ts'
import { PASSED, ThrottleState } from '../../engine/nodes/processors/throttle/throttle-state.ts'
import { finish } from '../../engine/steps.ts'
import type { Report } from './figure.ts'

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
  { title: '1,000 keys, limit 100 a second', keys: 1000, checks: 4_000_000, limit: 100, windowMs: 1000 },
  { title: '1,000 keys, all far above the limit', keys: 1000, checks: 4_000_000, limit: 2, windowMs: 60_000 },
  {
    title: '1,000,000 keys, one pass each, then all full',
    keys: 1_000_000,
    checks: 3_000_000,
    limit: 1,
    windowMs: 60_000,
  },
]

const ROUNDS = 3

export const summary =
  'The benchmark measures the checks per second of the state of a throttle alone, including the key text of each check, and its costs: memory, snapshot, restoring. The floor is a plain Map from the same keys to a counter. It keeps no pass times, so it cannot find the end of a window.'

export async function run(report: Report): Promise<void> {
  for (const load of LOADS) {
    const numbers = keySequence(load)
    const inMap = Array.from({ length: ROUNDS }, () => timed(() => countInMap(numbers, load)))
    const judged = Array.from({ length: ROUNDS }, () => timed(() => judgeAll(numbers, load)))
    const perSecond = ({ ms }: { ms: number }) => (load.checks / ms) * 1000
    report({
      name: load.title,
      unit: 'checks/s',
      values: judged.map(perSecond),
      floor: { name: 'plain Map', values: inMap.map(perSecond) },
    })
    reportState(load.title, (judged[0] as (typeof judged)[number]).result, report)
  }
}

function reportState(title: string, state: ThrottleState, report: Report): void {
  const { buckets, runs, bytes, keyBytes } = state.measure()
  report({ name: `${title}: pass times kept`, unit: 'times a bucket', values: [runs / buckets] })
  report({
    name: `${title}: memory`,
    unit: 'B a bucket',
    values: [bytes / buckets],
    floor: { name: 'text of the key', values: [keyBytes / buckets] },
  })
  const snapshots = Array.from({ length: ROUNDS }, () => timed(() => finish(state.snapshot())))
  const snapshot = finish(state.snapshot())
  const copies = Array.from({ length: ROUNDS }, () => timed(() => Uint8Array.from(snapshot)))
  const restored = Array.from({ length: ROUNDS }, () => timed(() => ThrottleState.restore(snapshot)))
  const floor = {
    name: `copy of its ${(snapshot.length / 1e6).toFixed(1)} MB`,
    values: copies.map(({ ms }) => ms),
  }
  report({ name: `${title}: snapshot`, unit: 'ms', values: snapshots.map(({ ms }) => ms), floor })
  report({ name: `${title}: restored`, unit: 'ms', values: restored.map(({ ms }) => ms), floor })
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
