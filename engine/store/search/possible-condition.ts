import type { LineTable } from '../../../schemas/log/tables.ts'
import { fieldPaths } from '../../query-language/field-paths.ts'
import type { FieldTerm, FieldTest, Query } from '../../query-language/syntax-tree.ts'
import { ALWAYS, allOf, anyOf, type Condition, column, NEVER, not, sql, textOf } from './condition.ts'
import { exactCondition, MAX_CONDITION_CHARACTERS } from './exact-condition.ts'
import { isParsedName } from './full-field-days.ts'
import type { SqlConstants } from './sql-constants.ts'

/** Fields that are not in the text of a line, or under another name. */
const ELSEWHERE = /^(?:message$|_(?:meta|label|annotation|other)(?:\.|$))/

/**
 * Whether fields may have texts that are not in the line as they are: those with escapes, deep objects, which are written again,
 * and empty ones.
 */
const HAS_OTHER_TEXTS = sql`(match(${column.line}, '\\\\\\\\|[{\\\\[][\\\\t-\\\\r ]+[\\\\]}]') OR countSubstrings(${column.line}, '{') > 3)`

/**
 * Condition on a row that holds at least for the lines that a query finds, whatever fields the store lacks: a line may have
 * a field if the field's name is in its text.
 */
export function possibleCondition(query: Query, constants: SqlConstants, table: LineTable): Condition {
  const condition = mayHold(query, constants, table)
  const isTooLong = textOf(condition).length + constants.literalCharacters > MAX_CONDITION_CHARACTERS / 2
  return isTooLong ? ALWAYS : condition
}

function mayHold(query: Query, constants: SqlConstants, table: LineTable): Condition {
  switch (query.kind) {
    case 'and':
      return allOf(query.operands.map(operand => mayHold(operand, constants, table)))
    case 'or':
      return anyOf(query.operands.map(operand => mayHold(operand, constants, table)))
    case 'not':
      return not(mustHold(query.operand, constants, table))
    case 'text':
      return anyOf([exactCondition(query, constants, table), HAS_OTHER_TEXTS])
    case 'field':
      if (isParsedName(query.name)) return mayHave(query, constants)
      return exactCondition(query, constants, table)
    case 'all':
      return ALWAYS
  }
}

/** Holds at most for the lines that a query finds. */
function mustHold(query: Query, constants: SqlConstants, table: LineTable): Condition {
  switch (query.kind) {
    case 'and':
      return allOf(query.operands.map(operand => mustHold(operand, constants, table)))
    case 'or':
      return anyOf(query.operands.map(operand => mustHold(operand, constants, table)))
    case 'not':
      return not(mayHold(query.operand, constants, table))
    case 'field':
      return isParsedName(query.name) ? NEVER : exactCondition(query, constants, table)
    default:
      return exactCondition(query, constants, table)
  }
}

/** Lines that pass the test of a field have the field, unless the test contains a negation. */
function mayHave({ name, test }: FieldTerm, constants: SqlConstants): Condition {
  const members = fieldPaths(name).map(memberOf)
  if (hasNegation(test) || members.some(member => member === undefined || member === '')) return ALWAYS
  const inText = [...new Set(members)].map(
    member => sql`position(${column.line}, ${constants.text(member as string)}) > 0`,
  )
  // A name may stand in the text with escapes.
  return anyOf([...inText, sql`position(${column.line}, '\\\\') > 0`])
}

function hasNegation(test: FieldTest): boolean {
  if (test.kind === 'not') return true
  return 'operands' in test && test.operands.some(hasNegation)
}

/** The last name of a path as it is in the text of a line; undefined if it need not be there. */
function memberOf(path: string): string | undefined {
  if (ELSEWHERE.test(path)) return undefined
  return path.slice(path.lastIndexOf('.') + 1).replace(/^_/, '')
}
