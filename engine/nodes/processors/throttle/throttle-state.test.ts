import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { finish } from '../../../steps.ts'
import type { BucketRule } from '../../contract/buckets.ts'
import { ExemptKeys } from '../../contract/exempt-keys.ts'
import type { StateBounds } from '../../contract/state-bounds.ts'
import {
  DISCARDED,
  OVERFLOW_DISCARDED,
  OVERFLOW_PASSED,
  PASSED,
  ThrottleState,
  type Verdict,
} from './throttle-state.ts'

const ROOMY: StateBounds = { maxKeys: 1000, maxEntries: 100_000 }

/** The rules of components, section 5A, in the simplest form: lists of runs that are searched from end to end. */
class Model {
  #t = Number.NEGATIVE_INFINITY
  readonly #keyed = new Map<string, Run[]>()
  #default: Run[] = []
  #overflow: Run[] = []
  readonly #bounds: StateBounds

  constructor(bounds: StateBounds) {
    this.#bounds = bounds
  }

  judge(key: string | undefined, nowMs: number, { limit, windowMs }: BucketRule): Verdict {
    this.#t = Math.max(this.#t, nowMs)
    const young = (run: Run) => this.#t - run.time < windowMs
    for (const [name, runs] of [...this.#keyed]) if (!young(runs.at(-1) as Run)) this.#keyed.delete(name)
    this.#default = this.#default.filter(young)
    this.#overflow = this.#overflow.filter(young)
    if (key === undefined) return this.#judgeRuns(this.#default, limit)
    const known = this.#keyed.get(key)
    if (known !== undefined) {
      const left = known.filter(young)
      this.#keyed.set(key, left)
      return this.#judgeRuns(left, limit)
    }
    if (this.#keyed.size >= this.#bounds.maxKeys)
      return this.#judgeRuns(this.#overflow, limit) === PASSED ? OVERFLOW_PASSED : OVERFLOW_DISCARDED
    if (passesOf(this.#overflow) >= limit) return DISCARDED
    const runs: Run[] = []
    this.#keyed.set(key, runs)
    for (const { time, count } of this.#overflow) this.#append(runs, time, count)
    return this.#judgeRuns(runs, limit)
  }

  #judgeRuns(runs: Run[], limit: number): typeof PASSED | typeof DISCARDED {
    if (passesOf(runs) >= limit) return DISCARDED
    const last = runs.at(-1)
    if (last?.time === this.#t) last.count++
    else this.#append(runs, this.#t, 1)
    return PASSED
  }

  #append(runs: Run[], time: number, count: number): void {
    const last = runs.at(-1)
    const all = [...this.#keyed.values(), this.#default, this.#overflow]
    const used = all.reduce((sum, list) => sum + list.length, 0)
    if (last === undefined || used < this.#bounds.maxEntries) {
      runs.push({ time, count })
    } else {
      last.time = time
      last.count += count
    }
  }
}

interface Run {
  time: number
  count: number
}

function passesOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { count }) => sum + count, 0)
}

interface Step {
  readonly key: string | undefined
  readonly afterMs: number
  readonly restored: boolean
}

function stepsOf(keys: fc.Arbitrary<string>): fc.Arbitrary<Step[]> {
  return fc.array(
    fc.record({
      key: fc.option(keys, { nil: undefined, freq: 6 }),
      afterMs: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(0, 0, 0, 1, 2, 3) },
        { weight: 2, arbitrary: fc.integer({ min: -40, max: 40 }) },
        { weight: 1, arbitrary: fc.constant(200) },
      ),
      restored: fc.integer({ min: 0, max: 19 }).map(number => number === 0),
    }),
    { maxLength: 300, size: 'max' },
  )
}

const fewKeys = fc.constantFrom('a', 'b', 'c', 'aa', 'ab', 'abc', 'λ', 'λb')
const rule = fc.record({ limit: fc.integer({ min: 1, max: 6 }), windowMs: fc.integer({ min: 1, max: 30 }) })

/** Judges every step by state and model. @returns the steps with their verdict and time */
function compare(steps: readonly Step[], ruleAt: (index: number) => BucketRule, bounds: StateBounds) {
  const model = new Model(bounds)
  let state = new ThrottleState(bounds, 7)
  let nowMs = 1_000_000
  return steps.map(({ key, afterMs, restored }, index) => {
    nowMs += afterMs
    if (restored) state = finish(ThrottleState.restore(finish(state.snapshot()), bounds))
    state.advance(nowMs, ruleAt(index).windowMs)
    const verdict = state.judge(key, ruleAt(index))
    expect(verdict, `step ${index}`).toBe(model.judge(key, nowMs, ruleAt(index)))
    return { key, verdict, timeMs: state.timeMs }
  })
}

describe('against the plain model', () => {
  test('every verdict is the same, with steps back in time and restores at any point', () => {
    fc.assert(
      fc.property(stepsOf(fewKeys), rule, (steps, fixed) => {
        compare(steps, () => fixed, ROOMY)
      }),
      { numRuns: 300 },
    )
  })

  test('also when limit and window change in between', () => {
    fc.assert(
      fc.property(stepsOf(fewKeys), fc.array(rule, { minLength: 2, maxLength: 5 }), (steps, rules) => {
        compare(steps, index => rules[Math.floor(index / 20) % rules.length] as BucketRule, ROOMY)
      }),
      { numRuns: 200 },
    )
  })

  test('also with room for only three keys', () => {
    fc.assert(
      fc.property(stepsOf(fewKeys), rule, (steps, fixed) => {
        compare(steps, () => fixed, { maxKeys: 3, maxEntries: 1000 })
      }),
      { numRuns: 300 },
    )
  })

  test('also when the budget of runs is used up', () => {
    fc.assert(
      fc.property(stepsOf(fewKeys), rule, fc.integer({ min: 1, max: 8 }), (steps, fixed, maxEntries) => {
        compare(steps, () => fixed, { maxKeys: 4, maxEntries })
      }),
      { numRuns: 300 },
    )
  })

  test('also with thousands of keys that appear and disappear', () => {
    const manyKeys = fc.integer({ min: 0, max: 400 }).map(number => `key-${'x'.repeat(number % 40)}${number}`)
    const steps = fc.array(
      fc.record({ key: manyKeys, afterMs: fc.constantFrom(0, 0, 0, 0, 1, 90), restored: fc.constant(false) }),
      { minLength: 1500, maxLength: 2000, size: 'max' },
    )
    fc.assert(
      fc.property(steps, rule, (sequence, fixed) => {
        compare(sequence, () => fixed, ROOMY)
      }),
      { numRuns: 5 },
    )
  })
})

describe('the guarantee', () => {
  test('no bucket passes more than its limit in any window, and it discards only when it is full', () => {
    fc.assert(
      fc.property(stepsOf(fewKeys), rule, (steps, { limit, windowMs }) => {
        const passed = new Map<string, number[]>()
        for (const { key = '', verdict, timeMs } of compare(steps, () => ({ limit, windowMs }), ROOMY)) {
          const times = passed.get(key) ?? []
          const inWindow = times.filter(time => timeMs - time < windowMs).length
          expect(verdict === PASSED).toBe(inWindow < limit)
          if (verdict === PASSED) passed.set(key, [...times, timeMs])
        }
      }),
    )
  })

  test('keys that passed through the overflow bucket do not get their limit twice', () => {
    fc.assert(
      fc.property(
        stepsOf(fewKeys),
        rule,
        fc.integer({ min: 1, max: 6 }),
        (steps, { limit, windowMs }, maxEntries) => {
          const passed = new Map<string, number[]>()
          const bounds = { maxKeys: 2, maxEntries }
          for (const { key, verdict, timeMs } of compare(steps, () => ({ limit, windowMs }), bounds)) {
            if (key === undefined || (verdict !== PASSED && verdict !== OVERFLOW_PASSED)) continue
            const times = [...(passed.get(key) ?? []), timeMs]
            passed.set(key, times)
            expect(times.filter(time => timeMs - time < windowMs).length).toBeLessThanOrEqual(limit)
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  test('after a burst nothing passes until exactly one window later, and then the whole limit at once', () => {
    const state = new ThrottleState()
    const at = (nowMs: number, times: number) => {
      state.advance(nowMs, 1000)
      return Array.from({ length: times }, () => state.judge('k', { limit: 3, windowMs: 1000 }))
    }
    expect(at(5000, 5)).toEqual([PASSED, PASSED, PASSED, DISCARDED, DISCARDED])
    expect(at(5999, 2)).toEqual([DISCARDED, DISCARDED])
    expect(at(6000, 4)).toEqual([PASSED, PASSED, PASSED, DISCARDED])
  })
})

describe('keys', () => {
  const once = { limit: 1, windowMs: 1000 }

  test('are distinguished by every code unit, however long they are', () => {
    const long = 'x'.repeat(512)
    const keys = [
      'a',
      'A',
      'a ',
      ' a',
      'é',
      'e\u0301',
      'λ',
      '\u00e9\u0100',
      '\ud800',
      '\ud801',
      '\udc00',
      '\ufffd',
      '😀',
      long,
      `${long}y`,
      `${long}z`,
      `${'x'.repeat(511)}y`,
      `${long}\ud800`,
      `${long}\ud801`,
      `${long}\ufffd`,
      'λ'.repeat(256),
      'λ'.repeat(257),
      `${'λ'.repeat(256)}x`,
      // The digest of a long key is a separate key when it is sent.
      hash('sha256', `${long}y`),
    ]
    const state = new ThrottleState()
    state.advance(0, 1000)
    for (const key of keys) expect(state.judge(key, once), JSON.stringify(key.slice(-4))).toBe(PASSED)
    const restored = finish(ThrottleState.restore(finish(state.snapshot())))
    for (const key of keys) {
      expect(state.judge(key, once)).toBe(DISCARDED)
      expect(restored.judge(key, once)).toBe(DISCARDED)
    }
  })

  test('a flood of keys that are all discarded leaves no state', () => {
    const bounds = { maxKeys: 1, maxEntries: 10 }
    const state = new ThrottleState(bounds)
    state.advance(0, 1000)
    state.judge('first', once)
    state.judge('second', once)
    for (let number = 0; number < 10_000; number++)
      expect(state.judge(`key-${number}`, once)).toBe(OVERFLOW_DISCARDED)
    expect(state.measure()).toMatchObject({ buckets: 1, runs: 2 })
  })
})

describe('memory', () => {
  const once = { limit: 1, windowMs: 1000 }

  function filled(keys: number): ThrottleState {
    const state = new ThrottleState()
    state.advance(0, 1000)
    for (let number = 0; number < keys; number++) state.judge(`customer-${number}`, once)
    return state
  }

  test.each([20_000, 49_500, 98_000, 100_000])(
    '%i buckets with one run use at most 64 bytes each, in addition to key texts',
    keys => {
      const { buckets, bytes } = filled(keys).measure()
      expect(buckets).toBe(keys)
      expect(bytes / buckets).toBeLessThanOrEqual(64)
    },
  )

  test('passes of one millisecond use one run', () => {
    const state = new ThrottleState()
    state.advance(0, 1000)
    for (let pass = 0; pass < 1000; pass++) state.judge('k', { limit: 1000, windowMs: 1000 })
    expect(state.measure().runs).toBe(1)
    expect(state.judge('k', { limit: 1000, windowMs: 1000 })).toBe(DISCARDED)
  })

  test('empty buckets are removed in the same millisecond', () => {
    const state = filled(1000)
    state.advance(999, 1000)
    expect(state.measure().buckets).toBe(1000)
    state.advance(1000, 1000)
    expect(state.measure()).toMatchObject({ buckets: 0, runs: 0 })
  })

  test('a snapshot after a flood is as small as the remaining state, and does not change it', () => {
    const state = filled(50_000)
    state.advance(999, 1000)
    for (const key of ['a', 'b', 'customer-7']) state.judge(key, { limit: 2, windowMs: 1000 })
    while (!state.advance(1000, 1000)) expect(state.measure().buckets).toBeGreaterThan(3)
    expect(state.measure().buckets).toBe(3)
    expect(finish(state.snapshot()).length).toBeLessThan(8192)
    const restored = finish(ThrottleState.restore(finish(state.snapshot())))
    for (const tested of [state, restored]) {
      expect(tested.judge('a', once)).toBe(DISCARDED)
      expect(tested.judge('customer-7', { limit: 2, windowMs: 1000 })).toBe(PASSED)
      expect(tested.judge('customer-8', once)).toBe(PASSED)
    }
  })

  test('a snapshot is read in stretches', () => {
    const keys = 50_000
    const steps = ThrottleState.restore(finish(filled(keys).snapshot()))
    let stretches = 1
    while (steps.next().done !== true) stretches++
    expect(stretches).toBeGreaterThan(keys / 10_000)
  })

  test('space of keys is reused when their lengths vary', () => {
    const state = new ThrottleState()
    for (let round = 0; round < 40; round++) {
      state.advance(round * 1000, 1000)
      for (let number = 0; number < 500; number++) state.judge(`${'x'.repeat(round * 10)}-${number}`, once)
    }
    expect(state.measure().buckets).toBe(500)
    expect(state.measure().keyBytes).toBeLessThan(500 * 512 * 4)
  })

  test('a bucket keeps 65,536 runs, beyond which the two oldest expire together and later, and the limit still holds', () => {
    const wide = { limit: 70_000, windowMs: 80_000 }
    const state = new ThrottleState()
    for (let nowMs = 0; nowMs < 70_000; nowMs++) {
      state.advance(nowMs, wide.windowMs)
      expect(state.judge('k', wide)).toBe(PASSED)
    }
    expect(state.measure().runs).toBe(65_536)
    const judgeAt = (nowMs: number) => {
      state.advance(nowMs, wide.windowMs)
      return state.judge('k', wide)
    }
    expect(judgeAt(70_000)).toBe(DISCARDED)
    const joinedUpToMs = 70_000 - 65_536
    expect(judgeAt(80_000)).toBe(DISCARDED)
    expect(judgeAt(80_000 + joinedUpToMs - 1)).toBe(DISCARDED)
    for (let pass = 0; pass < joinedUpToMs + 1; pass++) expect(judgeAt(80_000 + joinedUpToMs)).toBe(PASSED)
    expect(judgeAt(80_000 + joinedUpToMs)).toBe(DISCARDED)
  })

  test('passes that join a run for lack of space are counted', () => {
    const state = new ThrottleState({ maxKeys: 10, maxEntries: 2 })
    for (let nowMs = 0; nowMs < 5; nowMs++) {
      state.advance(nowMs, 1000)
      state.judge('k', { limit: 100, windowMs: 1000 })
    }
    expect(state.measure()).toMatchObject({ runs: 2, joinedPasses: 3 })
    expect(finish(ThrottleState.restore(finish(state.snapshot()))).joinedPasses).toBe(3)
  })
})

describe('exemptions', () => {
  const once = { limit: 1, windowMs: 1000 }

  test('end in the exact millisecond, independently for each key', () => {
    const state = new ThrottleState()
    const keys = new ExemptKeys()
    state.exempt(keys)
    keys.set('k', 5000)
    keys.set(undefined, 6000)
    const exemptAt = (nowMs: number) => {
      state.advance(nowMs, once.windowMs)
      return ['k', 'other', undefined].map(key => state.isExempt(key))
    }
    expect(exemptAt(4999)).toEqual([true, false, true])
    expect(exemptAt(5000)).toEqual([false, false, true])
    expect(exemptAt(6000)).toEqual([false, false, false])
    keys.set('other', 6001)
    expect(exemptAt(5000)).toEqual([false, true, false])
    keys.remove('other')
    expect(exemptAt(6000)).toEqual([false, false, false])
  })

  test('are not part of a snapshot, and are not changed when keys are moved', () => {
    const state = new ThrottleState(ROOMY, 7)
    const keys = new ExemptKeys()
    state.exempt(keys)
    keys.set('k', 5000)
    state.advance(0, once.windowMs)
    state.judge('k', once)
    const restored = finish(ThrottleState.restore(finish(state.snapshot())))
    expect(restored.isExempt('k')).toBe(false)
    restored.exempt(keys)
    expect(restored.isExempt('k')).toBe(true)
    const pieces = [...state.split([0], () => 0)]
    for (const piece of pieces)
      if (piece !== undefined) restored.absorb(finish(ThrottleState.restore(piece.data)))
    expect([state.isExempt('k'), restored.isExempt('k')]).toEqual([true, true])
    expect(state.measure().buckets).toBe(0)
    expect(restored.passesOf('k')).toEqual([
      { timeMs: 0, count: 1 },
      { timeMs: 0, count: 1 },
    ])
  })
})

describe('the busiest buckets', () => {
  const rules = { limit: 4, windowMs: 20 }

  test('are those with most passes in the window, including expired passes that are not removed yet', () => {
    fc.assert(
      fc.property(
        stepsOf(fewKeys),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 25 }),
        fc.constantFrom(2, 100),
        (steps, limit, laterMs, maxKeys) => {
          const state = new ThrottleState({ maxKeys, maxEntries: 1000 }, 7)
          let nowMs = 1_000_000
          for (const { key, afterMs } of steps) {
            nowMs += afterMs
            state.advance(nowMs, rules.windowMs)
            state.judge(key, rules)
          }
          const atMs = Math.max(nowMs, state.timeMs) + laterMs
          const inWindow = (key: string | undefined) =>
            state.passesOf(key).filter(({ timeMs }) => atMs - timeMs < rules.windowMs)
          const names = ['a', 'b', 'c', 'aa', 'ab', 'abc', 'λ', 'λb'].filter(key => state.has(key))
          const expected = [...names, undefined, 'has no bucket']
            .map(key => inWindow(key).reduce((sum, { count }) => sum + count, 0))
            .filter(count => count > 0)
            .sort((a, b) => b - a)
          const found = state.busiest(limit, atMs, rules.windowMs)
          expect(found.map(({ count }) => count)).toEqual(expected.slice(0, limit))
          for (const { kind, key, passes } of found) {
            const text = kind === 'default' ? undefined : (key?.text ?? 'has no bucket')
            expect(passes).toEqual(inWindow(text))
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  test('have the digest of a key that is too long to be stored', () => {
    const state = new ThrottleState()
    state.advance(0, 1000)
    const long = 'x'.repeat(513)
    state.judge(long, { limit: 1, windowMs: 1000 })
    expect(state.busiest(1, 0, 1000)).toEqual([
      {
        kind: 'key',
        key: { text: hash('sha256', long), isDigest: true },
        count: 1,
        passes: [{ timeMs: 0, count: 1 }],
      },
    ])
  })
})

describe('restoring', () => {
  test('bytes that are not a snapshot are refused', () => {
    const bytes = finish(new ThrottleState().snapshot())
    expect(() => finish(ThrottleState.restore(bytes.subarray(0, bytes.length - 1)))).toThrow(RangeError)
    expect(() => finish(ThrottleState.restore(Uint8Array.from([...bytes, 0])))).toThrow(RangeError)
    expect(() => finish(ThrottleState.restore(new Uint8Array(24)))).toThrow(RangeError)
  })

  test('a snapshot is a copy, and the state continues without changing it', () => {
    const state = new ThrottleState()
    state.advance(0, 1000)
    state.judge('k', { limit: 2, windowMs: 1000 })
    const bytes = finish(state.snapshot())
    const before = Uint8Array.from(bytes)
    state.judge('k', { limit: 2, windowMs: 1000 })
    expect(bytes).toEqual(before)
  })
})
