import { BEYOND_BUDGET, EventMeter, NO_NUMBER } from '../../engine/expressions/cost-meter.ts'
import { ExpressionAllowance, ExpressionBudget } from '../../engine/expressions/expression-budget.ts'
import {
  compileRegularExpression,
  type RegularExpression,
  regularExpressionProblem,
} from '../../engine/expressions/regular-expression.ts'
import { type Dice, newDice } from '../support/dice.ts'

/** Units that make a node count; less is not charged. */
const COUNTED_FROM = 1_025
/** Least work of a drawn batch that is judged: the clock is not precise enough for less. */
const LEAST_UNITS = 20_000
const CHARACTERS = 8_000
const BATCHES = 6

const ATOMS = [
  'a',
  'b',
  'k',
  '[ab]',
  '[^x]',
  '[^y]',
  '.',
  '\\d',
  '\\w',
  '\\W',
  '\\s',
  '[a-f0-9]',
  '[^a-d0-9]',
  '\\b',
  '^',
  '$',
  '\\p{L}',
  '\\p{Greek}',
  'ж',
  '[é-ж]',
  '(?:ab|ba)',
  '(?:a|b|c)',
  '(?:abc|abd|bcd)',
  '(a*b)',
]
const REPEATS = ['', '', '', '', '*', '+', '?', '{0,5}', '{3}', '{14}', '{0,30}', '{60}', '{2,}', '{0,300}']
/** Texts over these lead an automaton of the atoms to ever new states, or to none. */
const ALPHABETS = [
  'ab',
  'abcd0123',
  'abxy',
  'a',
  'z',
  'z ',
  'abk1',
  'aé',
  'ж字é',
  'abж',
  'k\u212as\u017f',
  'αβγab',
  'a\nb',
  String.fromCharCode(...Array.from({ length: 300 }, (_, index) => 0x4e00 + index)),
]
const LENGTHS = [0, 1, 10, 60, 205, 500, 2_000]

/** Time of one unit of a drawn expression on drawn texts, in ns. */
export interface DearestUnit {
  readonly ns: number
  readonly title: string
}

/** Draws expressions and texts, and looks for the units that take most. Each time is the best of several batches of new texts. */
export function dearestUnit(seed: number, seconds: number): DearestUnit {
  const dice = newDice(seed)
  const endMs = performance.now() + seconds * 1_000
  let dearest: DearestUnit = { ns: 0, title: '' }
  while (performance.now() < endMs) {
    const source = drawExpression(dice)
    if (regularExpressionProblem(source) !== undefined) continue
    const expression = compileRegularExpression(source, { ignoreCase: dice.chance(0.5) })
    const alphabet = Array.from(dice.pick(ALPHABETS))
    const length = dice.pick(LENGTHS)
    const ns = unitNs(expression, () => drawText(dice, alphabet, length))
    if (ns > dearest.ns) dearest = { ns, title: `${source} on ${alphabet.slice(0, 8).join('')}, ${length}` }
  }
  return dearest
}

function unitNs(expression: RegularExpression, draw: () => string): number {
  const count = Math.min(2_000, Math.ceil(CHARACTERS / (draw().length + 1)))
  let best = Number.POSITIVE_INFINITY
  for (let batch = 0; batch < BATCHES; batch++) {
    const texts = Array.from({ length: count }, draw)
    const meter = new EventMeter()
    const allowance = new ExpressionAllowance(new ExpressionBudget())
    allowance.begin(0, Number.MAX_SAFE_INTEGER)
    meter.open(allowance, undefined)
    let units = 0
    const startedMs = performance.now()
    for (const text of texts) units += unitsOf(meter, expression, text)
    const ns = ((performance.now() - startedMs) * 1e6) / units
    if (units < LEAST_UNITS) return 0
    best = Math.min(best, ns)
  }
  return best
}

function unitsOf(meter: EventMeter, expression: RegularExpression, text: string): number {
  meter.begin(NO_NUMBER)
  meter.spend(COUNTED_FROM)
  try {
    meter.matches(expression, text)
  } catch (error) {
    if (error !== BEYOND_BUDGET) throw error
  }
  return meter.spent - COUNTED_FROM
}

function drawExpression(dice: Dice): string {
  const parts = Array.from({ length: 1 + dice.below(6) }, () => dice.pick(ATOMS) + dice.pick(REPEATS))
  if (dice.chance(0.2)) parts.splice(dice.below(parts.length), 0, '|')
  return parts.join('')
}

function drawText(dice: Dice, alphabet: readonly string[], length: number): string {
  return Array.from({ length }, () => dice.pick(alphabet)).join('')
}
