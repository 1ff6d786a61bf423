import { QuerySyntaxError } from '../../query-language/query-syntax-error.ts'
import type { FieldTest, MatchOperator, Query, TextTerm } from '../../query-language/syntax-tree.ts'
import { allOf, anyOf, IS_META_STRING, META_STRING, namedField, type StoredField } from './line-fields-sql.ts'
import { mergeAlternatives } from './merged-alternatives.ts'
import type { SqlConstants } from './sql-constants.ts'
import { ValueTests } from './value-tests.ts'

/** Of the 262,144 characters that the engine reads as one statement; the rest is for all that stands around. */
export const MAX_CONDITION_CHARACTERS = 200_000

/** The condition of a query that asks for nothing. */
export const EVERY_LINE = '1'

/**
 * What a term looks at: query language, section 4.2. They are one list, because the engine compiles a regular expression
 * anew wherever it stands in a statement, for each block of rows; with Unicode's classes of letters in it, that takes longer
 * than copying the texts of the rows that the prefilter has left.
 */
const SEARCHED_TEXTS = `arrayConcat(
  [l.line, l.host, l.app, l.level], arrayFilter(v -> v != '', [l.file, l.env]), l.tags, mapValues(l.text_fields),
  if(l.meta = '', [], [if(${IS_META_STRING}, ${META_STRING}, l.meta)]))`

/**
 * The condition on a row `l` of table `lines` that a query asks for. Nothing of the query becomes SQL: texts and
 * numbers are constants. The conditions are never NULL, so NOT means what it says.
 *
 * @throws QuerySyntaxError for a query with more terms than a statement can hold
 */
export function compileCondition(query: Query, constants: SqlConstants): string {
  const condition = new ConditionCompiler(constants).condition(mergeAlternatives(query))
  if (condition.length + constants.literalCharacters > MAX_CONDITION_CHARACTERS)
    throw new QuerySyntaxError('has too many terms')
  return condition
}

class ConditionCompiler {
  readonly #constants: SqlConstants
  readonly #tests: ValueTests

  constructor(constants: SqlConstants) {
    this.#constants = constants
    this.#tests = new ValueTests(constants)
  }

  condition(query: Query): string {
    switch (query.kind) {
      case 'all':
        return EVERY_LINE
      case 'and':
        return allOf(query.operands.map(operand => this.condition(operand)))
      case 'or':
        return this.#anyOperand(query.operands)
      case 'not':
        return `NOT (${this.condition(query.operand)})`
      case 'text':
        return this.#anyText(query.operator, [query])
      case 'field':
        return this.#fieldTest(query.test, namedField(query.name, this.#constants))
    }
  }

  /** Terms of one OR share their looks at the texts. */
  #anyOperand(operands: readonly Query[]): string {
    const terms = operands.filter(operand => operand.kind === 'text')
    const others = operands.filter(operand => operand.kind !== 'text')
    const byOperator = Map.groupBy(terms, ({ operator }) => operator)
    return anyOf([
      ...[...byOperator].map(([operator, each]) => this.#anyText(operator, each)),
      ...others.map(operand => this.condition(operand)),
    ])
  }

  /** One of the terms in any of the texts of a line: query language, section 4.2. */
  #anyText(operator: MatchOperator, terms: readonly TextTerm[]): string {
    const texts = terms.map(({ text }) => text)
    return `arrayExists(v -> ${this.#tests.startTest(operator, texts, 'v')}, ${SEARCHED_TEXTS})`
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
        return field.passes(this.#tests.ofComparison(test))
    }
  }
}
