/**
 * A parsed query (query language, section 4.1). `all` is what the empty query and `*` ask for.
 */
export type Query = Tree<EveryLine | TextTerm | FieldTerm>

/** What is asked of one field: its values inside `f:(…)` are joined like terms. */
export type FieldTest = Tree<Presence | Comparison>

/** Terms joined by AND, OR and negation; `and` and `or` have at least two operands. */
export type Tree<Leaf> =
  | Leaf
  | { readonly kind: 'not'; readonly operand: Tree<Leaf> }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Tree<Leaf>[] }

export interface EveryLine {
  readonly kind: 'all'
}

/** A word or phrase looked for in the whole line: section 4.2. */
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

/** True when any of the texts compares; a list has several, everything else one. */
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

/** `=` and `===` look at the case of letters. */
export function isCaseSensitive(operator: MatchOperator): boolean {
  return operator === '=' || operator === '==='
}
