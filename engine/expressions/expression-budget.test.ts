import { expect, test } from 'vitest'
import { Stretch } from '../steps.ts'
import { BEYOND_BUDGET, EventMeter, SUSPENDED } from './cost-meter.ts'
import {
  ExpressionAllowance,
  ExpressionBudget,
  FREE_UNITS,
  FREE_UNITS_PER_BYTE,
  MAX_SAVED_UNITS,
  MAX_SHARED_UNITS,
} from './expression-budget.ts'
import { compileRegularExpression, type RegularExpression } from './regular-expression.ts'

/** Of the reference of nodes: docs/nodes.md, and the pages that it follows. */
const DOCUMENTED = ['(?P<door>[a-z]+)-(?P<number>\\d{2})', '(?<staff_no>S-\\d{4})']
const LONGEST_LINE = 'a'.repeat(16_384)
const DEAR = '[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]'

test('twice the dearest of the documented examples on the longest line is free, and not much more', () => {
  const bounds = DOCUMENTED.map(source =>
    compileRegularExpression(source, { ignoreCase: true }).boundFor(LONGEST_LINE),
  )
  const dearest = Math.max(...bounds)
  expect(FREE_UNITS).toBeGreaterThanOrEqual(2 * dearest)
  expect(FREE_UNITS).toBeLessThan(2.1 * dearest)
})

const sum = (values: readonly number[]) => values.reduce((left, right) => left + right, 0)

function meterOf(budget: ExpressionBudget, stretch?: Stretch): EventMeter {
  const meter = new EventMeter()
  meter.open(new ExpressionAllowance(budget), stretch)
  return meter
}

test('what is free is free once for an event, wherever it goes', () => {
  const budget = new ExpressionBudget()
  const allowance = new ExpressionAllowance(budget)
  const meters = [new EventMeter(), new EventMeter()]
  for (const meter of meters) {
    meter.open(allowance, undefined)
    meter.begin(7)
    meter.spend(FREE_UNITS - 5_000)
  }
  expect(budget.saved).toBe(MAX_SAVED_UNITS - (FREE_UNITS - 10_000))
  meters[0]?.begin(8)
  meters[0]?.spend(FREE_UNITS)
  expect(budget.saved).toBe(MAX_SAVED_UNITS - (FREE_UNITS - 10_000))
})

test('what is too dear uses up what is left, and the next event has what is free', () => {
  const budget = new ExpressionBudget()
  const meter = meterOf(budget)
  meter.begin(0)
  expect(() => meter.spend(FREE_UNITS + MAX_SAVED_UNITS + 1)).toThrow(BEYOND_BUDGET)
  expect(budget.saved).toBe(0)
  meter.begin(1)
  meter.spend(FREE_UNITS)
  expect(() => meter.spend(1)).toThrow(BEYOND_BUDGET)
})

test('what many events may cost together is bounded, however many of them stay below what is free', () => {
  const budget = new ExpressionBudget()
  const allowance = new ExpressionAllowance(budget)
  const meter = new EventMeter()
  meter.open(allowance, undefined)
  const bytes = 205
  let spent = 0
  let refused = 0
  for (let record = 0; record < 100; record++) {
    allowance.begin(0, 140 * bytes)
    for (let event = 0; event < 140; event++) {
      meter.begin(event)
      try {
        meter.spend(FREE_UNITS)
        spent += meter.spent
      } catch (error) {
        if (error !== BEYOND_BUDGET) throw error
        spent += meter.spent
        refused++
      }
    }
  }
  expect(refused).toBeGreaterThan(10_000)
  expect(spent).toBe(MAX_SHARED_UNITS + MAX_SAVED_UNITS + 14_000 * bytes * FREE_UNITS_PER_BYTE)
  expect([budget.shared, budget.saved]).toEqual([0, 0])
})

test('the documented examples draw on nothing, however many lines come at once', () => {
  const expressions = DOCUMENTED.map(source => compileRegularExpression(source, { ignoreCase: true }))
  for (const text of [LONGEST_LINE, 'b'.repeat(200), 'c'.repeat(2_000)]) {
    const budget = new ExpressionBudget()
    const allowance = new ExpressionAllowance(budget)
    const meter = new EventMeter()
    meter.open(allowance, undefined)
    for (let event = 0; event < 10_000; event++) {
      allowance.begin(0, text.length)
      meter.begin(0)
      for (let time = 0; time < 3; time++) meter.spend(sum(expressions.map(each => each.boundFor(text))) / 3)
    }
    expect([budget.shared, budget.saved]).toEqual([MAX_SHARED_UNITS, MAX_SAVED_UNITS])
  }
})

test('an expression that is suspended costs what it costs without a rest, and answers the same', () => {
  const expression = compileRegularExpression(DEAR)
  const text = 'abcd0123'.repeat(120)
  const whole = new ExpressionBudget()
  const atOnce = meterOf(whole)
  atOnce.begin(0)
  const answer = atOnce.matches(expression, text)

  const budget = new ExpressionBudget()
  const stretch = new Stretch()
  const meter = meterOf(budget, stretch)
  meter.begin(0)
  let rests = 0
  for (let answered: boolean | undefined; answered === undefined; ) {
    try {
      meter.spend(10)
      answered = meter.matches(expression, text)
      expect(answered).toBe(answer)
    } catch (error) {
      if (error !== SUSPENDED) throw error
      rests++
      stretch.begin()
      meter.again()
    }
  }
  expect(rests).toBeGreaterThan(5)
  expect(budget.saved).toBe(whole.saved)
  expect(whole.saved).toBeLessThan(MAX_SAVED_UNITS)
})

test('two seconds of log time are saved up, and no more', () => {
  const budget = new ExpressionBudget()
  budget.refill(1_000)
  budget.takeSaved(MAX_SAVED_UNITS)
  budget.takeShared(MAX_SHARED_UNITS)
  budget.refill(1_250)
  expect(budget.saved).toBe(1_000_000)
  expect(budget.shared).toBe(5_000_000)
  budget.refill(1_000) // Log time does not step back.
  expect(budget.saved).toBe(1_000_000)
  const restored = new ExpressionBudget()
  restored.restore(budget.snapshot())
  for (const each of [budget, restored]) {
    each.refill(2_250)
    expect(each.saved).toBe(5_000_000)
    expect(each.shared).toBe(25_000_000)
    expect(each.isFullAt(2_250)).toBe(false)
    each.refill(60_000)
    expect(each.isFullAt(60_000)).toBe(true)
    expect(each.saved).toBe(MAX_SAVED_UNITS)
  }
})

/** Judges one event by several expressions, and counts the turns that this takes, until all have answered. */
function judged(expressions: readonly RegularExpression[], text: string, stretch?: Stretch) {
  const meter = meterOf(new ExpressionBudget(), stretch)
  meter.begin(0)
  let turns = 1
  for (;;) {
    try {
      const answers = expressions.map(expression => meter.matches(expression, text))
      return { turns, answers, spent: meter.spent }
    } catch (error) {
      if (error !== SUSPENDED || stretch === undefined) throw error
      turns++
      stretch.begin()
      meter.again()
    }
  }
}

test('others have a turn between expressions that are read and built, and they cost the same', () => {
  const expressions = Array.from({ length: 5 }, (_, index) =>
    compileRegularExpression(`${DEAR}built${index}`),
  )
  const answers = expressions.map(() => false)
  const inStretches = judged(expressions, 'abc', new Stretch())
  expect(inStretches).toEqual({ turns: 10, answers, spent: judged(expressions, 'abc').spent })
  expect(judged(expressions, 'abc', new Stretch()).turns).toBe(1)
})

test.each([
  ['a word of 4,000', (letters: string[]) => letters.join('')],
  ['one of 2,000', (letters: string[]) => letters.slice(0, 2_000).join('|')],
])(
  'others have a turn between expressions about %s letters beyond ASCII, and they cost the same',
  (name, sourceOf) => {
    const letters = Array.from({ length: 4_000 }, (_, index) => String.fromCodePoint(0xac00 + index))
    const anew = () =>
      Array.from({ length: 40 }, (_, at) =>
        compileRegularExpression(`${sourceOf([...letters.slice(at), ...letters.slice(0, at)])}${name[0]}`),
      )
    const expressions = anew()
    // What it could cost at most is more than the library may begin with: it is counted.
    const text = 'the quick brown fox jumps over a lazy dog'
    const inStretches = judged(expressions, text, new Stretch())
    expect(inStretches.turns).toBeGreaterThan(expressions.length)
    const again = judged(expressions, text, new Stretch())
    expect(again.turns).toBeLessThan(5)
    const { answers, spent } = judged(expressions, text)
    for (const each of [inStretches, again]) expect(each).toMatchObject({ answers, spent })
  },
)

test('a word of ASCII that meets a letter which equals one of ASCII is built in a turn of its own', () => {
  const word = 'k'.repeat(4_000)
  const expressions = Array.from({ length: 5 }, (_, at) =>
    compileRegularExpression(`${word}${at}`, { ignoreCase: true }),
  )
  judged(expressions, 'k')
  expect(judged(expressions, '\u212a', new Stretch()).turns).toBe(5)
  expect(judged(expressions, '\u212a', new Stretch()).turns).toBe(1)
})
