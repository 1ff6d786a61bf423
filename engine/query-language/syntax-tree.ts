/** A parsed query (query language, section 4.1). The empty query and `*` give `all`. */
export type Query = Tree<EveryLine | TextTerm | FieldTerm>

/** Tests of one field: its values inside `f:(…)` are joined like terms. */
export type FieldTest = Tree<Presence | Comparison>

/** Terms joined by AND, OR and negation; `and` and `or` have at least two operands. */
export type Tree<Leaf> =
  | Leaf
  | { readonly kind: 'not'; readonly operand: Tree<Leaf> }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Tree<Leaf>[] }

export interface EveryLine {
  readonly kind: 'all'
}

/** A word or phrase that is searched for in the whole line: section 4.2. */
export interface TextTerm {
  readonly kind: 'text'
  readonly operator: MatchOperator
  readonly text: string
}

export interface FieldTerm {
  readonly kind: 'field'
  readonly name: string
  readonly test: FieldTest
}

/** `f:*` */
export interface Presence {
  readonly kind: 'present'
}

/** True when the comparison holds for any of the texts; only a list has several. */
export interface Comparison {
  readonly kind: 'comparison'
  readonly operator: MatchOperator | OrderOperator
  readonly texts: readonly string[]
}

export type MatchOperator = '' | '=' | '==' | '==='
export type OrderOperator = '>' | '>=' | '<' | '<='

export function isOrderOperator(operator: MatchOperator | OrderOperator): operator is OrderOperator {
  return operator.startsWith('>') || operator.startsWith('<')
}

/** `=` and `===` are case-sensitive. */
export function isCaseSensitive(operator: MatchOperator): boolean {
  return operator === '=' || operator === '==='
}
