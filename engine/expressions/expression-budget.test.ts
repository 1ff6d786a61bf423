import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { Stretch } from '../steps.ts'
import { BEYOND_BUDGET, EventMeter, SUSPENDED } from './cost-meter.ts'
import {
  ExpressionAllowance,
  ExpressionBudget,
  FREE_STEPS,
  FREE_UNITS,
  FREE_UNITS_PER_BYTE,
  MAX_OWED_COPIES,
  MAX_OWED_UNITS,
  MAX_SAVED_UNITS,
  MAX_SHARED_UNITS,
} from './expression-budget.ts'
import { compileRegularExpression, type RegularExpression } from './regular-expression.ts'

/** Examples from the reference of nodes: docs/nodes.md, and the pages that it follows. */
const DOCUMENTED = ['(?P<door>[a-z]+)-(?P<number>\\d{2})', '(?<staff_no>S-\\d{4})']
const LONGEST_LINE = 'a'.repeat(16_384)
const DEAR = '[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]'

test('twice the most expensive documented example on the longest line is free, and not much more', () => {
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

test('the free units of an event are granted once, however many nodes it meets', () => {
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

/** Each match costs 833 units. */
const WORD = 'timeout0'
const LINE = 'abcd0123'.repeat(11)

test('a filter for a plain word costs nothing, at any number of nodes, until its node does more than 1,024 units', () => {
  const budget = new ExpressionBudget()
  const allowance = new ExpressionAllowance(budget)
  const word = compileRegularExpression(WORD)
  for (let node = 0; node < 40; node++) {
    const meter = new EventMeter()
    meter.open(allowance, undefined)
    meter.begin(7)
    meter.spend(191)
    expect(meter.matches(word, LINE)).toBe(false)
    expect(meter.spent).toBe(1_024)
  }
  expect(budget.shared).toBe(MAX_SHARED_UNITS)

  const meter = new EventMeter()
  meter.open(allowance, undefined)
  meter.begin(7)
  meter.spend(192)
  meter.matches(word, LINE)
  expect(budget.shared).toBe(MAX_SHARED_UNITS - 192 - 833)
  meter.matches(word, LINE)
  meter.spend(1)
  expect(budget.shared).toBe(MAX_SHARED_UNITS - 192 - 2 * 833 - 1)
})

test('matches of little work go on when nothing is left to pay for others', () => {
  const budget = new ExpressionBudget()
  budget.takeShared(MAX_SHARED_UNITS)
  budget.takeSaved(MAX_SAVED_UNITS)
  const meter = meterOf(budget)
  const word = compileRegularExpression(WORD)
  meter.begin(0)
  expect(meter.matches(word, LINE)).toBe(false)
  expect(() => meter.matches(word, LINE)).toThrow(BEYOND_BUDGET)
})

test.each([
  ['step by step', DEAR, 'a'],
  ['by the library', '^[a-d0-3]+z$', 'abcd0123'],
  ['a word by the library, because a letter of the text equals one of ASCII', 'timeout', '\u212a'],
])('matching %s is counted, however little work it is', (_, source, text) => {
  const budget = new ExpressionBudget()
  const meter = meterOf(budget)
  meter.begin(0)
  meter.spend(100)
  meter.matches(compileRegularExpression(source, { ignoreCase: true }), text)
  expect(meter.spent).toBeGreaterThan(100)
  expect(meter.spent).toBeLessThan(1_024)
  expect(budget.shared).toBe(MAX_SHARED_UNITS - (meter.spent - 100))
})

test('before the seventh behaviour a match was counted, and work before it at its node was forgotten', () => {
  const budget = new ExpressionBudget()
  const allowance = new ExpressionAllowance(budget)
  allowance.countsEveryMatch = true
  const meter = new EventMeter()
  meter.open(allowance, undefined)
  meter.begin(0)
  meter.spend(500)
  expect(budget.shared).toBe(MAX_SHARED_UNITS)
  meter.matches(compileRegularExpression(WORD), LINE)
  expect(budget.shared).toBe(MAX_SHARED_UNITS - 833)
  meter.spend(3)
  expect(budget.shared).toBe(MAX_SHARED_UNITS - 836)
})

test('uncounted work at a node is the same, wherever evaluation was suspended', () => {
  const work = fc.oneof(
    fc.integer({ min: 1, max: 700 }).map(units => ({ units })),
    fc.record({ source: fc.constantFrom(WORD, 'x[ab]c?', DEAR), length: fc.nat(100) }),
  )
  let rests = 0
  const sharedAfter = (events: readonly (readonly Work[])[], stretch?: Stretch) => {
    const budget = new ExpressionBudget()
    const meter = meterOf(budget, stretch)
    const expressions = new Map<string, RegularExpression>()
    const match = (source: string, length: number) => {
      const expression = expressions.get(source) ?? compileRegularExpression(source)
      expressions.set(source, expression)
      return meter.matches(expression, LINE.repeat(2).slice(0, length))
    }
    for (const [row, all] of events.entries()) {
      meter.begin(row)
      for (let isDone = false; !isDone; ) {
        try {
          for (const each of all) 'units' in each ? meter.spend(each.units) : match(each.source, each.length)
          isDone = true
        } catch (error) {
          if (error !== SUSPENDED) throw error
          rests++
          meter.again()
          if (stretch !== undefined) stretch.left = 40
        }
      }
    }
    return budget.shared
  }
  fc.assert(
    fc.property(fc.array(fc.array(work, { maxLength: 6 }), { maxLength: 4 }), events => {
      const stretch = new Stretch()
      stretch.left = 40
      expect(sharedAfter(events, stretch)).toBe(sharedAfter(events))
    }),
  )
  expect(rests).toBeGreaterThan(50)
})

type Work = { readonly units: number } | { readonly source: string; readonly length: number }

test('an expression that is too expensive uses up the rest, and the next event has its free units', () => {
  const budget = new ExpressionBudget()
  const meter = meterOf(budget)
  meter.begin(0)
  expect(() => meter.spend(FREE_UNITS + MAX_SAVED_UNITS + 1)).toThrow(BEYOND_BUDGET)
  expect(budget.saved).toBe(0)
  meter.begin(1)
  meter.spend(FREE_UNITS)
  expect(() => meter.spend(1)).toThrow(BEYOND_BUDGET)
})

/** A meter of the tenth behaviour. */
function chargingMeter(budget: ExpressionBudget): EventMeter {
  const allowance = new ExpressionAllowance(budget)
  allowance.chargesFailures = true
  const meter = new EventMeter()
  meter.open(allowance, undefined)
  return meter
}

test('saved units pay for all work on an event that fails, once, and not for work that was not done', () => {
  const budget = new ExpressionBudget()
  const meter = chargingMeter(budget)
  meter.begin(0)
  meter.spend(FREE_UNITS + 1_000)
  expect(budget.saved).toBe(MAX_SAVED_UNITS - 1_000)
  for (const _ of [1, 2]) {
    expect(() => meter.spend(MAX_SAVED_UNITS)).toThrow(BEYOND_BUDGET)
    expect(budget.saved).toBe(MAX_SAVED_UNITS - 1_000 - FREE_UNITS)
  }
  // The event goes on at other nodes with the remaining units.
  meter.spend(2_000)
  expect(() => meter.spend(MAX_SAVED_UNITS)).toThrow(BEYOND_BUDGET)
  expect(budget.saved).toBe(MAX_SAVED_UNITS - 3_000 - FREE_UNITS)
})

test('saved units never pay for the free units of an event that passes', () => {
  const budget = new ExpressionBudget()
  const meter = chargingMeter(budget)
  for (const event of [0, 1, 2]) {
    meter.begin(event)
    meter.spend(FREE_UNITS)
  }
  expect(budget.saved).toBe(MAX_SAVED_UNITS)
})

test('an account owes at most the units of two seconds, also after a restart, and time pays for them', () => {
  const budget = new ExpressionBudget()
  budget.refill(1_000)
  const meter = chargingMeter(budget)
  for (let event = 0; event < 200; event++) {
    meter.begin(event)
    meter.spend(FREE_UNITS / 2)
    expect(() => meter.spend(FREE_UNITS / 2 + MAX_SAVED_UNITS + 1)).toThrow(BEYOND_BUDGET)
  }
  expect(budget.saved).toBe(-MAX_OWED_UNITS)
  const restored = new ExpressionBudget()
  restored.restore(budget.snapshot())
  restored.refill(3_500)
  expect(restored.saved).toBe(2_000_000)
})

test.each([
  ['whose bound is more than is free', DEAR],
  ['of a large automaton', '[^x]{0,60}[ab][^y]{0,60}[^a-d0-9][^0]'],
])('while an account owes units, an expression %s is only tried, as far as more can be owed', (_, source) => {
  const budget = new ExpressionBudget()
  budget.takeSaved(MAX_SAVED_UNITS + 1)
  const meter = chargingMeter(budget)
  const dear = compileRegularExpression(source)
  const text = 'a1'.repeat(250)
  const tried = 16 * (text.length + 1)
  meter.begin(0)
  expect(() => meter.matches(dear, text)).toThrow(BEYOND_BUDGET)
  expect([meter.spent, budget.saved]).toEqual([tried, -1 - tried])
  budget.owe(MAX_OWED_UNITS)
  meter.begin(1)
  expect(() => meter.matches(dear, text)).toThrow(BEYOND_BUDGET)
  expect([meter.spent, budget.saved]).toEqual([0, -MAX_OWED_UNITS])
})

test('the documented examples match on the longest line while an account owes all that it may', () => {
  const budget = new ExpressionBudget()
  budget.owe(MAX_SAVED_UNITS + MAX_OWED_UNITS)
  const meter = chargingMeter(budget)
  for (const source of DOCUMENTED) {
    meter.begin(source.length)
    const expression = compileRegularExpression(source, { ignoreCase: true })
    expect(meter.matches(expression, LONGEST_LINE)).toBe(false)
  }
})

test('an expression of many states matches while an account owes units if it takes few steps', () => {
  const budget = new ExpressionBudget()
  budget.takeSaved(MAX_SAVED_UNITS + 1)
  const meter = chargingMeter(budget)
  const words = Array.from({ length: 300 }, (_, index) => `${'bcdefghijk'[index % 10]}${index}[0-9]{9}z`)
  const expression = compileRegularExpression(words.join('|'))
  const text = 'all is well with you '.repeat(100)
  expect(expression.boundFor(text)).toBeGreaterThan(FREE_UNITS)
  meter.begin(0)
  expect(meter.matches(expression, text)).toBe(false)
})

test('the cost of many events together is limited, even if each of them stays below its free units', () => {
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

test('the documented examples never use saved units, however many lines arrive at once', () => {
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

test('a suspended expression has the same cost and the same answers as one without a pause', () => {
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

test('units of two seconds of log time are saved, and no more', () => {
  const budget = new ExpressionBudget()
  budget.refill(1_000)
  budget.takeSaved(MAX_SAVED_UNITS)
  budget.takeShared(MAX_SHARED_UNITS)
  budget.refill(1_250)
  expect(budget.saved).toBe(1_000_000)
  expect(budget.shared).toBe(5_000_000)
  budget.refill(1_000) // log time does not step back
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

/** Evaluates expressions on one event, and counts the turns until all have a result. */
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

test('other work has a turn between expressions that are read and built, and they cost the same', () => {
  const expressions = Array.from({ length: 5 }, (_, index) => compileRegularExpression(`^x{300}${index}`))
  const answers = expressions.map(() => false)
  const inStretches = judged(expressions, 'abc', new Stretch())
  expect(inStretches).toEqual({ turns: 10, answers, spent: judged(expressions, 'abc').spent })
  expect(judged(expressions, 'abc', new Stretch()).turns).toBe(1)
})

test.each([
  ['a word of 4,000', (letters: string[]) => letters.join('')],
  ['one of 2,000', (letters: string[]) => letters.slice(0, 2_000).join('|')],
])(
  'other work has a turn between expressions about %s letters beyond ASCII, and they cost the same',
  (name, sourceOf) => {
    const letters = Array.from({ length: 4_000 }, (_, index) => String.fromCodePoint(0xac00 + index))
    const anew = () =>
      Array.from({ length: 40 }, (_, at) =>
        compileRegularExpression(`${sourceOf([...letters.slice(at), ...letters.slice(0, at)])}${name[0]}`),
      )
    const expressions = anew()
    // The maximum cost exceeds the bound for the library, so the work is counted.
    const text = 'the quick brown fox jumps over a lazy dog'
    const inStretches = judged(expressions, text, new Stretch())
    expect(inStretches.turns).toBeGreaterThan(expressions.length)
    const again = judged(expressions, text, new Stretch())
    expect(again.turns).toBeLessThan(5)
    const { answers, spent } = judged(expressions, text)
    for (const each of [inStretches, again]) expect(each).toMatchObject({ answers, spent })
  },
)

test('an ASCII word for a text with a letter that equals an ASCII letter is built in a turn of its own', () => {
  const word = 'k'.repeat(4_000)
  const expressions = Array.from({ length: 5 }, (_, at) =>
    compileRegularExpression(`${word}${at}`, { ignoreCase: true }),
  )
  judged(expressions, 'k')
  expect(judged(expressions, '\u212a', new Stretch()).turns).toBe(5)
  expect(judged(expressions, '\u212a', new Stretch()).turns).toBe(1)
})

test('an expression whose automaton may have many states never runs in the library, however short the text is', () => {
  const meter = meterOf(new ExpressionBudget())
  for (const source of ['[^x]{0,30}[ab][^y]{0,30}[^a-d0-9][^0]', '[ab][^y]{14}[e-h]', DEAR]) {
    const expression = compileRegularExpression(source)
    const inLibrary = vi.fn<RegularExpression['test']>()
    meter.begin(0)
    for (const text of ['', 'a', 'abcd0123'.repeat(20)])
      expect(meter.matches({ ...expression, test: inLibrary }, text)).toBe(expression.test(text))
    expect(inLibrary).not.toHaveBeenCalled()
  }
})

test('an expression that only the library can run costs several times as much as the largest program', () => {
  const options = Array.from(
    { length: 60 },
    (_, index) => `${'x'.repeat(60)}${String.fromCharCode(0x100 + index)}`,
  )
  const expression = compileRegularExpression(`(?:${options.join('|')}){30}`)
  const meter = meterOf(new ExpressionBudget())
  meter.begin(0)
  expect(meter.matches(expression, 'x'.repeat(300))).toBe(false)
  expect(meter.spent).toBe(expression.boundFor('x'.repeat(300)))
  expect(meter.spent).toBeGreaterThan(300 * 15_000)
  meter.begin(1)
  expect(() => meter.matches(expression, 'x'.repeat(300))).toThrow(BEYOND_BUDGET)
})

test('steps of scripts beyond the free ones of an event are paid by saved units, and never by bytes or shared units', () => {
  const budget = new ExpressionBudget()
  const allowance = new ExpressionAllowance(budget)
  allowance.begin(0, 1_000_000)
  const meters = [new EventMeter(), new EventMeter()]
  for (const meter of meters) {
    meter.open(allowance, undefined)
    meter.begin(7)
  }
  const [first, second] = meters as [EventMeter, EventMeter]
  expect(FREE_STEPS).toBe(200)
  expect(first.stepsLeft()).toBe(FREE_STEPS + MAX_SAVED_UNITS)
  first.takeSteps(FREE_STEPS - 10)
  expect(budget.saved).toBe(MAX_SAVED_UNITS)
  second.takeSteps(30)
  expect(budget.saved).toBe(MAX_SAVED_UNITS - 20)
  expect(second.stepsLeft()).toBe(MAX_SAVED_UNITS - 20)
  second.begin(8)
  expect(second.stepsLeft()).toBe(FREE_STEPS + MAX_SAVED_UNITS - 20)
  expect(budget.shared).toBe(MAX_SHARED_UNITS)
  budget.owe(2 * MAX_SAVED_UNITS)
  expect(first.stepsLeft()).toBe(0)
  expect(second.stepsLeft()).toBe(FREE_STEPS)
})

test('an event without a number has the free steps at each node', () => {
  const budget = new ExpressionBudget()
  const meter = meterOf(budget)
  for (let event = 0; event < 3; event++) {
    meter.begin(-1)
    meter.takeSteps(FREE_STEPS - 1)
    expect(budget.saved).toBe(MAX_SAVED_UNITS - event)
    meter.takeSteps(2)
    expect(budget.saved).toBe(MAX_SAVED_UNITS - event - 1)
  }
})

test('copies of an event beyond its free units are owed, and further ones are refused until log time has paid for them', () => {
  const budget = new ExpressionBudget()
  budget.refill(1_000)
  const meter = chargingMeter(budget)
  meter.begin(0)
  meter.copies(FREE_UNITS + 10_000_000)
  expect([budget.owedCopies, budget.saved]).toEqual([10_000_000, MAX_SAVED_UNITS])
  expect(budget.shared).toBe(MAX_SHARED_UNITS - FREE_UNITS)
  const [free, beyond] = [FREE_UNITS, FREE_UNITS + 1]
  meter.begin(1)
  expect(() => meter.copies(beyond)).toThrow(BEYOND_BUDGET)
  expect(meter.kind).toBe('parts')
  meter.begin(2)
  meter.copies(free)
  expect([budget.owedCopies, budget.saved]).toEqual([10_000_000, MAX_SAVED_UNITS])
  budget.refill(3_499)
  expect(budget.owedCopies).toBe(4_000)
  meter.begin(3)
  expect(() => meter.copies(beyond)).toThrow(BEYOND_BUDGET)
  budget.refill(3_500)
  meter.begin(4)
  meter.copies(beyond)
  expect(budget.owedCopies).toBe(1)
})

test('an account owes for copies at most the units of 256 MiB: an event that needs more fails, and owes nothing', () => {
  const budget = new ExpressionBudget()
  const meter = chargingMeter(budget)
  meter.begin(0)
  expect(() => meter.copies(FREE_UNITS + MAX_OWED_COPIES + 1)).toThrow(BEYOND_BUDGET)
  expect(budget.owedCopies).toBe(0)
  meter.begin(1)
  meter.copies(FREE_UNITS + MAX_OWED_COPIES)
  expect(budget.owedCopies).toBe((256 * 1024 * 1024) / 2)
})

test('copies of up to 1,024 units at a node are not counted, and those beyond the free units of an event at several nodes are owed once', () => {
  const budget = new ExpressionBudget()
  const allowance = new ExpressionAllowance(budget)
  const meters = [new EventMeter(), new EventMeter()]
  for (const meter of meters) {
    meter.open(allowance, undefined)
    meter.begin(7)
    meter.copies(1_024)
  }
  expect(budget.shared).toBe(MAX_SHARED_UNITS)
  for (const meter of meters) {
    meter.begin(8)
    meter.copies(FREE_UNITS / 2 + 100)
  }
  expect([budget.owedCopies, budget.shared]).toEqual([200, MAX_SHARED_UNITS - FREE_UNITS])
})

test('a checkpoint has the units that are owed for copies, and its form is the earlier one as soon as there are none', () => {
  const budget = new ExpressionBudget()
  budget.refill(1_000)
  budget.takeShared(5)
  budget.oweCopies(MAX_OWED_COPIES)
  const restored = new ExpressionBudget()
  restored.restore(budget.snapshot())
  expect([restored.owedCopies, restored.shared]).toEqual([MAX_OWED_COPIES, MAX_SHARED_UNITS - 5])
  expect(restored.isFullAt(30_000)).toBe(false)
  expect(restored.owedCopies).toBe(MAX_OWED_COPIES - 29_000 * 4_000)
  expect(restored.snapshot()).toHaveLength(21)
  expect(restored.isFullAt(40_000)).toBe(true)
  expect(restored.snapshot()).toHaveLength(17)
  budget.restore(restored.snapshot())
  expect(budget.owedCopies).toBe(0)
  for (const damaged of [restored.snapshot().with(0, 2), budgetOwing(1).snapshot().with(0, 1)])
    expect(() => budget.restore(damaged)).toThrow('an expression budget of an unknown format')
})

function budgetOwing(units: number): ExpressionBudget {
  const budget = new ExpressionBudget()
  budget.oweCopies(units)
  return budget
}
