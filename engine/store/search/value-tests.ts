import { bigIntegerText, NUMBER_PATTERN, readNumber } from '../../query-language/number-text.ts'
import {
  type Comparison,
  isCaseSensitive,
  isOrderOperator,
  type MatchOperator,
  type OrderOperator,
} from '../../query-language/syntax-tree.ts'
import {
  isTokenLike,
  mayHoldSeveralTokens,
  probe,
  TOKEN_PATTERN,
  textPattern,
  wholePattern,
} from '../../query-language/token-pattern.ts'
import { anyOf, type Condition, type Expression, sql } from './condition.ts'
import type { ValueTest } from './field-contract.ts'
import type { SqlConstants } from './sql-constants.ts'

/** Limit of the engine's search for several texts. */
export const MAX_PROBES = 255

const ORDERED: Readonly<Record<OrderOperator, (value: Condition, bound: Expression) => Condition>> = {
  '>': (value, bound) => sql`${value} > ${bound}`,
  '>=': (value, bound) => sql`${value} >= ${bound}`,
  '<': (value, bound) => sql`${value} < ${bound}`,
  '<=': (value, bound) => sql`${value} <= ${bound}`,
}

/** Texts of a comparison whose usual spellings are listed. */
const MAX_SPELT = 16
const ASCII = /^[ -~]+$/

/** Creates the conditions on a value of a line from the comparisons of a query. */
export class ValueTests {
  readonly #constants: SqlConstants

  constructor(constants: SqlConstants) {
    this.#constants = constants
  }

  ofComparison({ operator, texts }: Comparison): ValueTest {
    return isOrderOperator(operator) ? this.#orderTest(operator, texts) : this.#matchTest(operator, texts)
  }

  /**
   * Numbers, and texts in the form of a number, compare as numbers. A bound beyond a double is infinite, like such a
   * value.
   */
  #orderTest(operator: OrderOperator, texts: readonly string[]): ValueTest {
    const bounds = texts.map(readNumber).filter(bound => bound !== undefined)
    // The most tolerant bound decides: one match is enough.
    const bound = operator.startsWith('>') ? Math.min(...bounds) : Math.max(...bounds)
    const compare = (value: Expression) => ORDERED[operator](value, this.#constants.number(bound))
    const isNumber = this.#constants.text(NUMBER_PATTERN)
    return {
      text: value =>
        bounds.length === 0
          ? undefined
          : sql`(match(${value}, ${isNumber}) AND ${compare(sql`toFloat64OrZero(${value})`)})`,
      plain: undefined,
      number: value => (bounds.length === 0 ? undefined : compare(value)),
      bigIntegers: undefined,
      wholeId: undefined,
    }
  }

  #matchTest(operator: MatchOperator, texts: readonly string[]): ValueTest {
    const big = texts.filter(text => bigIntegerText(text) !== undefined)
    const others = texts.filter(text => bigIntegerText(text) === undefined)
    const whole = operator === '==' || operator === '==='
    return {
      text: value =>
        whole ? this.#wholeTest(operator, texts, value) : this.startTest(operator, texts, value),
      plain: this.plainSearch(operator, texts),
      number: this.#equalTest(others),
      bigIntegers: texts.some(mayBeginInteger)
        ? {
            digits: big.map(bigIntegerText).filter(digits => digits !== undefined),
            number: this.#equalTest(big),
          }
        : undefined,
      wholeId: whole && texts.length === 1 ? texts[0] : undefined,
    }
  }

  /** A condition on a text that equals one of the names, regardless of case. */
  equalsAnyCase(value: Expression, names: readonly string[]): Condition {
    const pattern = this.#constants.text(wholePattern('==', names))
    return this.#probed('==', names, value, searched => sql`match(${searched}, ${pattern})`)
  }

  /** Tests for a number that equals one of the texts. */
  #equalTest(texts: readonly string[]): (value: Expression) => Condition | undefined {
    const numbers = texts.map(readNumber).filter(isFiniteNumber)
    const [number] = numbers
    if (number === undefined) return () => undefined
    // Planning one comparison for each would take the engine seconds.
    return value =>
      numbers.length === 1
        ? sql`${value} = ${this.#constants.number(number)}`
        : sql`has(${this.#constants.numbers(numbers)}, toFloat64(${value}))`
  }

  /** Tests for any of the texts at the start of a token, by the rules of the operator. */
  startTest(operator: MatchOperator, texts: readonly string[], value: Expression): Condition {
    const pattern = this.#constants.text(textPattern(operator, texts))
    return this.#probed(operator, texts, value, searched => sql`match(${searched}, ${pattern})`)
  }

  /** Tests for the whole value, or one whole token of it. */
  #wholeTest(operator: MatchOperator, texts: readonly string[], value: Expression): Condition {
    const caseSensitive = isCaseSensitive(operator)
    const whole = this.#constants.text(wholePattern(operator, texts))
    const tokens = texts.filter(text => isTokenLike(text, caseSensitive))
    const token = tokens.length === 0 ? undefined : this.#tokenTest(operator, tokens)
    return this.#probed(operator, texts, value, searched =>
      anyOf([sql`match(${searched}, ${whole})`, token?.(searched)]),
    )
  }

  #tokenTest(operator: MatchOperator, tokens: readonly string[]): (value: Expression) => Condition {
    const bounded = this.#constants.text(textPattern(operator, tokens))
    if (isCaseSensitive(operator) || !tokens.some(mayHoldSeveralTokens))
      return value => sql`match(${value}, ${bounded})`
    const whole = this.#constants.text(wholePattern(operator, tokens))
    const token = this.#constants.text(TOKEN_PATTERN)
    return value =>
      sql`(match(${value}, ${bounded}) AND arrayExists(token -> match(token, ${whole}), extractAll(${value}, ${token})))`
  }

  /**
   * Searches for parts of the texts: every text that contains one of the texts contains one of the parts. Undefined
   * without such parts. Lower-casing the value first is faster than the engine's case-insensitive searches, which examine
   * each place that begins like the sought text more closely.
   */
  plainSearch(
    operator: MatchOperator,
    texts: readonly string[],
  ): ((value: Expression) => Condition) | undefined {
    const probes = texts.map(text => probe(operator, text))
    if (probes.includes('') || probes.length > MAX_PROBES) return undefined
    return this.containment(probes, isCaseSensitive(operator))
  }

  /** A search for one of at most MAX_PROBES parts. @param probes not empty; ASCII alone where case is ignored */
  containment(probes: readonly string[], caseSensitive: boolean): (value: Expression) => Condition {
    const sought = caseSensitive ? probes : probes.map(text => text.toLowerCase())
    const isOne = sought.length === 1
    const parts = isOne ? this.#constants.text(sought[0] as string) : this.#constants.texts(sought)
    return value => {
      const searched = caseSensitive ? value : sql`lower(${value})`
      return isOne ? sql`position(${searched}, ${parts}) > 0` : sql`multiSearchAny(${searched}, ${parts})`
    }
  }

  /**
   * A condition on a text that must contain one of the texts, after a plain search for parts of them. The search is much
   * faster. Without a match, the engine does not even compile the regular expression, whose classes of Unicode letters
   * cost milliseconds. For that, columns of words must be cast: the engine never postpones conditions on their
   * dictionaries. Most words are spelt in one of few ways, which are looked up before.
   */
  #probed(
    operator: MatchOperator,
    texts: readonly string[],
    value: Expression,
    condition: (value: Expression) => Condition,
  ): Condition {
    const found = this.plainSearch(operator, texts)
    if (found === undefined) return condition(value)
    if (value.kind !== 'column' || !value.isWord) return sql`(${found(value)} AND ${condition(value)})`
    const test = sql`(${found(value)} AND ${condition(sql`CAST(${value}, 'String')`)})`
    const spelt = usualSpellings(operator, texts)
    return spelt.length === 0 ? test : sql`(has(${this.#constants.texts(spelt)}, ${value}) OR ${test})`
  }
}

/** Values that equal one of the texts, and therefore match every operator. */
function usualSpellings(operator: MatchOperator, texts: readonly string[]): readonly string[] {
  const plain = texts.slice(0, MAX_SPELT).filter(text => ASCII.test(text))
  if (isCaseSensitive(operator)) return plain
  const spelt = plain.flatMap(text => {
    const lower = text.toLowerCase()
    return [text, lower, text.toUpperCase(), lower.slice(0, 1).toUpperCase() + lower.slice(1)]
  })
  return [...new Set(spelt)]
}

/** Whether the text of an integer may begin with this one. */
function mayBeginInteger(text: string): boolean {
  return /^-?[0-9]*$/.test(text)
}

function isFiniteNumber(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value)
}
