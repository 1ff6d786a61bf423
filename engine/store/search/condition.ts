import { type LineTable, SLOTS } from '../../../schemas/log/tables.ts'

/**
 * Condition on a row `l` of a table of lines. It is a tree, which names the columns that it reads, until a statement is
 * written: only `textOf` creates text. A condition is never NULL, so NOT is true exactly where it is false.
 */
export type Condition =
  | { readonly kind: 'never' }
  | { readonly kind: 'always' }
  | { readonly kind: 'all'; readonly operands: readonly Condition[] }
  | { readonly kind: 'any'; readonly operands: readonly Condition[] }
  | { readonly kind: 'not'; readonly operand: Condition }
  | Expression

/**
 * Value of a row, or a condition in the words of the engine. The texts of a fragment are the program's own: values from
 * outside appear in it as names of constants (sql-constants.ts).
 */
export type Expression =
  | { readonly kind: 'column'; readonly name: string; readonly cost: number; readonly isWord: boolean }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'fragment'; readonly texts: readonly string[]; readonly parts: readonly Condition[] }

export const NEVER: Condition = { kind: 'never' }
/** The condition of a query without conditions. */
export const ALWAYS: Condition = { kind: 'always' }

/** Relative cost of reading a column: short words, names and numbers of fields, texts of lines. */
export const COST = { words: 0, numbers: 1, texts: 2 } as const

/** Columns that conditions read, of both tables of lines or of one of them. */
export const column = {
  ...words('account', 'host', 'app', 'level', 'file', 'env', 'mac', 'ip', 'remote'),
  ...others(COST.words, 't', 'ts', 'topic', 'partition', 'offset', 'row', 'size', 'retention'),
  ...others(COST.words, 'tags', 'meta', 'extra', 'marked_words'),
  ...others(COST.texts, 'line'),
  textFields: other('text_fields', COST.numbers),
  textNames: other('text_fields.keys', COST.numbers),
  textValues: other('text_fields.values', COST.numbers),
  numberNames: other('number_fields.keys', COST.numbers),
  numberValues: other('number_fields.values', COST.numbers),
  ...words('shape', 'facts', 'tag_list'),
  slots: Array.from({ length: SLOTS }, (_, slot) => other(`s${slot}`, COST.texts)),
  wholeLine: other('whole_line', COST.texts),
}

/** Names and values of fields as a table of lines has them, which is in addition to slots. */
export interface FieldColumns {
  readonly textNames: Expression
  readonly textValues: Expression
  readonly numberNames: Expression
  readonly numberValues: Expression
}

export const FIELD_COLUMNS: Readonly<Record<LineTable, FieldColumns>> = {
  lines: column,
  slotted_lines: {
    textNames: other('text_names', COST.numbers),
    textValues: other('text_values', COST.numbers),
    numberNames: other('number_names', COST.numbers),
    numberValues: other('number_values', COST.numbers),
  },
}

/** Fragment of a statement: columns, constants and conditions between texts of the program. */
export function sql(texts: TemplateStringsArray, ...parts: readonly Condition[]): Expression {
  return { kind: 'fragment', texts, parts }
}

/** Name that a statement defines: a constant, or a parameter of a lambda. */
export function named(name: string): Expression {
  return { kind: 'name', name }
}

/** Number of the program, such as a place in a list. Numbers of users are constants. */
export function numeral(value: number): Expression {
  return { kind: 'fragment', texts: [String(value)], parts: [] }
}

export function allOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 1 ? (conditions[0] as Condition) : { kind: 'all', operands: conditions }
}

/** Leaves out conditions that are absent or never true. */
export function anyOf(conditions: readonly (Condition | undefined)[]): Condition {
  const possible = conditions.filter(condition => condition !== undefined && condition.kind !== 'never')
  if (possible.length === 0) return NEVER
  return possible.length === 1 ? (possible[0] as Condition) : { kind: 'any', operands: possible }
}

export function not(operand: Condition): Condition {
  return { kind: 'not', operand }
}

/** Cost of the most expensive column that a condition reads. */
export function costOf(condition: Condition): number {
  switch (condition.kind) {
    case 'column':
      return condition.cost
    case 'all':
    case 'any':
      return Math.max(...condition.operands.map(costOf))
    case 'not':
      return costOf(condition.operand)
    case 'fragment':
      return Math.max(COST.words, ...condition.parts.map(costOf))
    default:
      return COST.words
  }
}

/** Names of the columns that a condition reads. */
export function columnsOf(condition: Condition): readonly string[] {
  switch (condition.kind) {
    case 'column':
      return [condition.name]
    case 'all':
    case 'any':
      return condition.operands.flatMap(columnsOf)
    case 'not':
      return columnsOf(condition.operand)
    case 'fragment':
      return condition.parts.flatMap(columnsOf)
    default:
      return []
  }
}

/** Text of a condition in a statement. */
export function textOf(condition: Condition): string {
  switch (condition.kind) {
    case 'never':
      return '0'
    case 'always':
      return '1'
    case 'all':
      return `(${condition.operands.map(textOf).join(' AND ')})`
    case 'any':
      return `(${condition.operands.map(textOf).join(' OR ')})`
    case 'not':
      return `NOT (${textOf(condition.operand)})`
    case 'column':
      return `l.${condition.name}`
    case 'name':
      return condition.name
    case 'fragment':
      return String.raw({ raw: condition.texts }, ...condition.parts.map(textOf))
  }
}

/** LowCardinality columns: the engine tests their conditions on a dictionary. */
function words<Name extends string>(...names: readonly Name[]): Record<Name, Expression> {
  return columns(names, name => ({ kind: 'column', name, cost: COST.words, isWord: true }))
}

function others<Name extends string>(cost: number, ...names: readonly Name[]): Record<Name, Expression> {
  return columns(names, name => other(name, cost))
}

function other(name: string, cost: number): Expression {
  return { kind: 'column', name, cost, isWord: false }
}

function columns<Name extends string>(
  names: readonly Name[],
  columnOf: (name: Name) => Expression,
): Record<Name, Expression> {
  return Object.fromEntries(names.map(name => [name, columnOf(name)])) as Record<Name, Expression>
}
