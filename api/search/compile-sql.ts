import { fieldPaths } from '../../engine/query-language/field-paths.ts'
import { bigIntegerText, NUMBER_PATTERN, readNumber } from '../../engine/query-language/number-text.ts'
import { QuerySyntaxError } from '../../engine/query-language/query-syntax-error.ts'
import {
  type Comparison,
  type FieldTest,
  isCaseSensitive,
  isOrderOperator,
  type MatchOperator,
  type OrderOperator,
  type Query,
  type TextTerm,
} from '../../engine/query-language/syntax-tree.ts'
import {
  isTokenLike,
  mayHoldSeveralTokens,
  probe,
  TOKEN_PATTERN,
  textPattern,
  wholePattern,
} from '../../engine/query-language/token-pattern.ts'
import {
  allOf,
  anyOf,
  IS_META_STRING,
  META_STRING,
  type StoredField,
  storedField,
  type ValueTest,
} from './line-fields-sql.ts'
import type { SqlConstants } from './sql-constants.ts'

/** Of the 262,144 characters that the engine reads as one statement; the rest is for all that stands around. */
const MAX_CONDITION_CHARACTERS = 200_000

/** LowCardinality columns: their conditions run on a dictionary. */
const WORD_COLUMNS: ReadonlySet<string> = new Set(
  ['account', 'host', 'app', 'level', 'file', 'env', 'mac', 'ip', 'remote'].map(column => `l.${column}`),
)

/** What the engine's search for several texts takes. */
const MAX_PROBES = 255

/**
 * The condition on a row `l` of table `lines` that a query asks for. Nothing of the query becomes SQL: texts and
 * numbers are constants. The conditions are never NULL, so NOT means what it says.
 *
 * @throws QuerySyntaxError for a query with more terms than a statement can hold
 */
export function compileCondition(query: Query, constants: SqlConstants): string {
  const condition = new ConditionCompiler(constants).condition(query)
  if (condition.length + constants.literalCharacters > MAX_CONDITION_CHARACTERS)
    throw new QuerySyntaxError('has too many terms')
  return condition
}

/** A condition on a text that equals one of the names without regard to case. */
export function equalsAnyCase(value: string, names: readonly string[], constants: SqlConstants): string {
  return `match(${value}, ${constants.text(wholePattern('==', names))})`
}

class ConditionCompiler {
  readonly #constants: SqlConstants

  constructor(constants: SqlConstants) {
    this.#constants = constants
  }

  condition(query: Query): string {
    switch (query.kind) {
      case 'all':
        return '1'
      case 'and':
        return allOf(query.operands.map(operand => this.condition(operand)))
      case 'or':
        return anyOf(query.operands.map(operand => this.condition(operand)))
      case 'not':
        return `NOT (${this.condition(query.operand)})`
      case 'text':
        return this.#text(query)
      case 'field':
        return this.#fieldTest(query.test, this.#field(query.name))
    }
  }

  /** A term in any of the texts of a line: query language, section 4.2. */
  #text({ operator, text }: TextTerm): string {
    const matches = (value: string) => this.#startTest(operator, [text], value)
    return anyOf([
      ...['l.line', 'l.host', 'l.app', 'l.level'].map(matches),
      ...['l.file', 'l.env'].map(column => `(${column} != '' AND ${matches(column)})`),
      `arrayExists(v -> ${matches('v')}, l.tags)`,
      `arrayExists(v -> ${matches('v')}, mapValues(l.text_fields))`,
      `(l.meta != '' AND ${matches(`if(${IS_META_STRING}, ${META_STRING}, l.meta)`)})`,
    ])
  }

  #field(name: string): StoredField {
    return fieldPaths(name)
      .map(path => storedField(path, this.#constants))
      .reduceRight((next, field) => withFallback(field, next))
  }

  #fieldTest(test: FieldTest, field: StoredField): string {
    switch (test.kind) {
      case 'and':
        return allOf(test.operands.map(operand => this.#fieldTest(operand, field)))
      case 'or':
        return anyOf(test.operands.map(operand => this.#fieldTest(operand, field)))
      case 'not':
        return `NOT (${this.#fieldTest(test.operand, field)})`
      case 'present':
        return field.present
      case 'comparison':
        return field.passes(this.#valueTest(test))
    }
  }

  #valueTest({ operator, texts }: Comparison): ValueTest {
    return isOrderOperator(operator) ? this.#orderTest(operator, texts) : this.#matchTest(operator, texts)
  }

  /** Values compare as numbers: those that are, and texts that read as one. */
  #orderTest(operator: OrderOperator, texts: readonly string[]): ValueTest {
    const bounds = texts.map(readNumber).filter(isFiniteNumber)
    const compare = (value: string) =>
      anyOf(bounds.map(bound => `${value} ${operator} ${this.#constants.number(bound)}`))
    const isNumber = this.#constants.text(NUMBER_PATTERN)
    return {
      text: value =>
        bounds.length === 0
          ? undefined
          : `(match(${value}, ${isNumber}) AND ${compare(`toFloat64OrZero(${value})`)})`,
      number: value => (bounds.length === 0 ? undefined : compare(value)),
      bigIntegers: undefined,
      wholeId: undefined,
    }
  }

  #matchTest(operator: MatchOperator, texts: readonly string[]): ValueTest {
    const numbers = texts.map(readNumber).filter(isFiniteNumber)
    const whole = operator === '==' || operator === '==='
    return {
      text: value =>
        whole ? this.#wholeTest(operator, texts, value) : this.#startTest(operator, texts, value),
      number: value => {
        const equals = numbers.map(number => `${value} = ${this.#constants.number(number)}`)
        return equals.length === 0 ? undefined : anyOf(equals)
      },
      bigIntegers: texts.map(bigIntegerText).filter(digits => digits !== undefined),
      wholeId: whole && texts.length === 1 ? texts[0] : undefined,
    }
  }

  #startTest(operator: MatchOperator, texts: readonly string[], value: string): string {
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
    const probes = texts.map(text => probe(operator, text))
    if (probes.includes('') || probes.length > MAX_PROBES) return condition(value)
    const suffix = isCaseSensitive(operator) ? '' : 'CaseInsensitive'
    const found =
      probes.length === 1
        ? `position${suffix}(${value}, ${this.#constants.text(probes[0] as string)}) > 0`
        : `multiSearchAny${suffix}(${value}, ${this.#constants.texts(probes)})`
    return `(${found} AND ${condition(WORD_COLUMNS.has(value) ? `CAST(${value}, 'String')` : value)})`
  }
}

/** The next field counts where the first is absent. */
function withFallback(first: StoredField, next: StoredField): StoredField {
  if (first.always) return first
  return {
    always: next.always,
    get present() {
      return next.always ? '1' : anyOf([first.present, next.present])
    },
    passes: test => {
      const passesNext = next.passes(test)
      if (passesNext === '0') return first.passes(test)
      return anyOf([first.passes(test), `(NOT ${first.present} AND ${passesNext})`])
    },
  }
}

function isFiniteNumber(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value)
}
