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
import { anyOf, type ValueTest } from './line-fields-sql.ts'
import type { SqlConstants } from './sql-constants.ts'

/** LowCardinality columns: their conditions run on a dictionary. */
const WORD_COLUMNS: ReadonlySet<string> = new Set(
  ['account', 'host', 'app', 'level', 'file', 'env', 'mac', 'ip', 'remote'].map(column => `l.${column}`),
)

/** What the engine's search for several texts takes. */
const MAX_PROBES = 255

/** A condition on a text that equals one of the names without regard to case. */
export function equalsAnyCase(value: string, names: readonly string[], constants: SqlConstants): string {
  return `match(${value}, ${constants.text(wholePattern('==', names))})`
}

/** What the comparisons of a query become in SQL, on a value of a line. */
export class ValueTests {
  readonly #constants: SqlConstants

  constructor(constants: SqlConstants) {
    this.#constants = constants
  }

  ofComparison({ operator, texts }: Comparison): ValueTest {
    return isOrderOperator(operator) ? this.#orderTest(operator, texts) : this.#matchTest(operator, texts)
  }

  /** Values compare as numbers: those that are, and texts that read as one. */
  #orderTest(operator: OrderOperator, texts: readonly string[]): ValueTest {
    const bounds = texts.map(readNumber).filter(isFiniteNumber)
    // Of several, the one that most values are on the right side of.
    const bound = operator.startsWith('>') ? Math.min(...bounds) : Math.max(...bounds)
    const compare = (value: string) => `${value} ${operator} ${this.#constants.number(bound)}`
    const isNumber = this.#constants.text(NUMBER_PATTERN)
    return {
      text: value =>
        bounds.length === 0
          ? undefined
          : `(match(${value}, ${isNumber}) AND ${compare(`toFloat64OrZero(${value})`)})`,
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

  /** A number that one of the texts reads as. */
  #equalTest(texts: readonly string[]): (value: string) => string | undefined {
    const numbers = texts.map(readNumber).filter(isFiniteNumber)
    const [number] = numbers
    if (number === undefined) return () => undefined
    // One comparison each would take the engine seconds to plan.
    return value =>
      numbers.length === 1
        ? `${value} = ${this.#constants.number(number)}`
        : `has(${this.#constants.numbers(numbers)}, toFloat64(${value}))`
  }

  /** Any of the texts at the start of a token, as the operator says. */
  startTest(operator: MatchOperator, texts: readonly string[], value: string): string {
    const pattern = this.#constants.text(textPattern(operator, texts))
    return this.#probed(operator, texts, value, searched => `match(${searched}, ${pattern})`)
  }

  /** The whole value, or one whole token of it. */
  #wholeTest(operator: MatchOperator, texts: readonly string[], value: string): string {
    const caseSensitive = isCaseSensitive(operator)
    const whole = this.#constants.text(wholePattern(operator, texts))
    const tokens = texts.filter(text => isTokenLike(text, caseSensitive))
    const token = tokens.length === 0 ? undefined : this.#tokenTest(operator, tokens)
    return this.#probed(operator, texts, value, searched =>
      anyOf([`match(${searched}, ${whole})`, token?.(searched)]),
    )
  }

  #tokenTest(operator: MatchOperator, tokens: readonly string[]): (value: string) => string {
    const bounded = this.#constants.text(textPattern(operator, tokens))
    if (isCaseSensitive(operator) || !tokens.some(mayHoldSeveralTokens))
      return value => `match(${value}, ${bounded})`
    const whole = this.#constants.text(wholePattern(operator, tokens))
    const token = this.#constants.text(TOKEN_PATTERN)
    return value =>
      `(match(${value}, ${bounded}) AND arrayExists(token -> match(token, ${whole}), extractAll(${value}, ${token})))`
  }

  /**
   * Parts of the texts, of which one is in every text that holds one of them; undefined when there are no such parts.
   * To make the value lower case first is faster than the engine's searches without regard to case, which look closer
   * at each place that begins like the text sought.
   */
  plainSearch(operator: MatchOperator, texts: readonly string[]): ((value: string) => string) | undefined {
    const probes = texts.map(text => probe(operator, text))
    if (probes.includes('') || probes.length > MAX_PROBES) return undefined
    const caseSensitive = isCaseSensitive(operator)
    // No probe without regard to case has letters outside ASCII.
    const sought = caseSensitive ? probes : probes.map(text => text.toLowerCase())
    const isOne = sought.length === 1
    const parts = isOne ? this.#constants.text(sought[0] as string) : this.#constants.texts(sought)
    return value => {
      const searched = caseSensitive ? value : `lower(${value})`
      return isOne ? `position(${searched}, ${parts}) > 0` : `multiSearchAny(${searched}, ${parts})`
    }
  }

  /**
   * A condition on a text that must hold one of the texts, behind a plain search for parts of them. It is much
   * faster, and where it finds nothing the engine does not even compile the regular expression: the classes of
   * Unicode letters in it cost milliseconds. For that, columns of words must be cast: conditions on their
   * dictionaries are never put off.
   */
  #probed(
    operator: MatchOperator,
    texts: readonly string[],
    value: string,
    condition: (value: string) => string,
  ): string {
    const found = this.plainSearch(operator, texts)
    if (found === undefined) return condition(value)
    return `(${found(value)} AND ${condition(WORD_COLUMNS.has(value) ? `CAST(${value}, 'String')` : value)})`
  }
}

/** Whether the text of an integer may hold it; what no integer holds need not be told from one. */
function mayBeginInteger(text: string): boolean {
  return /^-?[0-9]*$/.test(text)
}

function isFiniteNumber(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value)
}
