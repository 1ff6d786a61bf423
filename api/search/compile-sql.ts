import {
  allOf,
  anyOf,
  IS_META_STRING,
  META_STRING,
  type StoredField,
  storedField,
  type ValueTest,
} from './line-fields-sql.ts'
import { fieldPaths } from './query-language/field-paths.ts'
import { isBeyondDouble, NUMBER_PATTERN, readNumber } from './query-language/number-text.ts'
import { QuerySyntaxError } from './query-language/query-syntax-error.ts'
import {
  type Comparison,
  type FieldTest,
  isCaseSensitive,
  isOrderOperator,
  type MatchOperator,
  type OrderOperator,
  type Query,
  type TextTerm,
} from './query-language/syntax-tree.ts'
import {
  isTokenLike,
  mayHoldSeveralTokens,
  probe,
  TOKEN_PATTERN,
  textPattern,
  wholePattern,
} from './query-language/token-pattern.ts'
import type { SqlConstants } from './sql-constants.ts'

/** Of the 262,144 characters that the engine reads as one statement; the rest is for all that stands around. */
const MAX_CONDITION_CHARACTERS = 200_000

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
    const pattern = this.#constants.text(textPattern(operator, [text]))
    const probeText = probe(operator, text)
    const matches = (value: string) => `match(${value}, ${pattern})`
    const matchesLong = (value: string) =>
      probeText === '' ? matches(value) : `(${this.#probe(operator, probeText, value)} AND ${matches(value)})`
    return anyOf([
      matchesLong('l.line'),
      ...['l.host', 'l.app', 'l.level'].map(matches),
      ...['l.file', 'l.env'].map(column => `(${column} != '' AND ${matches(column)})`),
      `arrayExists(v -> ${matches('v')}, l.tags)`,
      `arrayExists(v -> ${matchesLong('v')}, mapValues(l.text_fields))`,
      `(l.meta != '' AND ${matches(`if(${IS_META_STRING}, ${META_STRING}, l.meta)`)})`,
    ])
  }

  #probe(operator: MatchOperator, probeText: string, value: string): string {
    const search = isCaseSensitive(operator) ? 'position' : 'positionCaseInsensitive'
    return `${search}(${value}, ${this.#constants.text(probeText)}) > 0`
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
      numberWithoutText: false,
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
      numberWithoutText: texts.some(isBeyondDouble),
      wholeId: whole && texts.length === 1 ? texts[0] : undefined,
    }
  }

  #startTest(operator: MatchOperator, texts: readonly string[], value: string): string {
    return `match(${value}, ${this.#constants.text(textPattern(operator, texts))})`
  }

  /** The whole value, or one whole token of it. */
  #wholeTest(operator: MatchOperator, texts: readonly string[], value: string): string {
    const isWhole = `match(${value}, ${this.#constants.text(wholePattern(operator, texts))})`
    const caseSensitive = isCaseSensitive(operator)
    const tokens = texts.filter(text => isTokenLike(text, caseSensitive))
    if (tokens.length === 0) return isWhole
    const holdsTokens = `match(${value}, ${this.#constants.text(textPattern(operator, tokens))})`
    if (caseSensitive || !tokens.some(mayHoldSeveralTokens)) return anyOf([isWhole, holdsTokens])
    const isToken = `match(token, ${this.#constants.text(wholePattern(operator, tokens))})`
    const allTokens = `extractAll(${value}, ${this.#constants.text(TOKEN_PATTERN)})`
    return anyOf([isWhole, `(${holdsTokens} AND arrayExists(token -> ${isToken}, ${allTokens}))`])
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
