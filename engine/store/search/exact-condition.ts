import { LINE_TABLES, type LineTable } from '../../../schemas/log/tables.ts'
import { QuerySyntaxError } from '../../query-language/query-syntax-error.ts'
import type { FieldTest, MatchOperator, Query, TextTerm } from '../../query-language/syntax-tree.ts'
import {
  ALWAYS,
  allOf,
  anyOf,
  type Condition,
  column,
  type Expression,
  FIELD_COLUMNS,
  named,
  not,
  sql,
  textOf,
} from './condition.ts'
import type { StoredField } from './field-contract.ts'
import { mergeAlternatives } from './merged-alternatives.ts'
import { SqlConstants } from './sql-constants.ts'
import { IS_META_STRING, META_STRING, namedField } from './stored-field.ts'
import { ValueTests } from './value-tests.ts'

/**
 * Maximum number of characters of conditions and constants. The engine reads 262,144 as one statement; the rest is for
 * the frame.
 */
export const MAX_CONDITION_CHARACTERS = 200_000

/**
 * Texts that a term searches: query language, section 4.2. They are one list, because the engine compiles a regular
 * expression once per place in the statement and block of rows. With Unicode's classes of letters, that takes longer than
 * copying the texts of the rows that the prefilter has left.
 */
const SEARCHED_TEXTS: Readonly<Record<LineTable, Expression>> = {
  lines: searchedTexts(sql`mapValues(${column.textFields})`),
  slotted_lines: searchedTexts(FIELD_COLUMNS.slotted_lines.textValues),
}

/** @param fields texts of fields that may not be in the text of the line as they are */
function searchedTexts(fields: Expression): Expression {
  return sql`arrayConcat(
  [${column.line}, ${column.host}, ${column.app}, ${column.level}], arrayFilter(v -> v != '', [${column.file}, ${column.env}]), ${column.tags}, ${fields},
  if(${column.meta} = '', [], [if(${IS_META_STRING}, ${META_STRING}, ${column.meta})]))`
}

/**
 * Condition on a row `l` of a table of lines that holds exactly for the lines that a query finds. No part of the query
 * becomes SQL: texts and numbers are constants.
 *
 * @throws QuerySyntaxError for a query with more terms than a statement can contain
 */
export function exactCondition(query: Query, constants: SqlConstants, table: LineTable): Condition {
  const condition = new ConditionCompiler(constants, table).condition(mergeAlternatives(query))
  if (textOf(condition).length + constants.literalCharacters > MAX_CONDITION_CHARACTERS)
    throw new QuerySyntaxError('has too many terms')
  return condition
}

/** Checks that a query fits into a search. @throws QuerySyntaxError for one with too many terms */
export function assertSearchable(query: Query): void {
  for (const table of LINE_TABLES) exactCondition(query, new SqlConstants(), table)
}

class ConditionCompiler {
  readonly #constants: SqlConstants
  readonly #table: LineTable
  readonly #tests: ValueTests

  constructor(constants: SqlConstants, table: LineTable) {
    this.#constants = constants
    this.#table = table
    this.#tests = new ValueTests(constants)
  }

  condition(query: Query): Condition {
    switch (query.kind) {
      case 'all':
        return ALWAYS
      case 'and':
        return allOf(query.operands.map(operand => this.condition(operand)))
      case 'or':
        return this.#anyOperand(query.operands)
      case 'not':
        return not(this.condition(query.operand))
      case 'text':
        return this.#anyText(query.operator, [query])
      case 'field':
        return this.#fieldTest(query.test, namedField(query.name, this.#constants, this.#table))
    }
  }

  /** Terms of one OR share their reads of the texts. */
  #anyOperand(operands: readonly Query[]): Condition {
    const terms = operands.filter(operand => operand.kind === 'text')
    const others = operands.filter(operand => operand.kind !== 'text')
    const byOperator = Map.groupBy(terms, ({ operator }) => operator)
    return anyOf([
      ...[...byOperator].map(([operator, each]) => this.#anyText(operator, each)),
      ...others.map(operand => this.condition(operand)),
    ])
  }

  /** One of the terms in any of the texts of a line: query language, section 4.2. */
  #anyText(operator: MatchOperator, terms: readonly TextTerm[]): Condition {
    const texts = terms.map(({ text }) => text)
    return sql`arrayExists(v -> ${this.#tests.startTest(operator, texts, named('v'))}, ${SEARCHED_TEXTS[this.#table]})`
  }

  #fieldTest(test: FieldTest, field: StoredField): Condition {
    switch (test.kind) {
      case 'and':
        return allOf(test.operands.map(operand => this.#fieldTest(operand, field)))
      case 'or':
        return anyOf(test.operands.map(operand => this.#fieldTest(operand, field)))
      case 'not':
        return not(this.#fieldTest(test.operand, field))
      case 'present':
        return field.present
      case 'comparison':
        return field.passes(this.#tests.ofComparison(test))
    }
  }
}
