import { parseQuery } from '../../../engine/query-language/parse-query.ts'
import { QuerySyntaxError } from '../../../engine/query-language/query-syntax-error.ts'
import type { Comparison, FieldTest, Query, Tree } from '../../../engine/query-language/syntax-tree.ts'

/** Result of reading the typed text. */
export interface ReadQuery {
  readonly trouble?: { readonly message: string; readonly position: number | undefined }
  /** The query with parentheses where OR and AND meet; undefined where there is nothing to explain. */
  readonly meaning?: string | undefined
  /** Texts that lines are searched for, for highlighting. */
  readonly words: readonly string[]
}

/** Reads a query with the parser of the server. */
export function readQuery(text: string): ReadQuery {
  try {
    const query = parseQuery(text)
    const isMixed = query.kind === 'and' && query.operands.some(({ kind }) => kind === 'or')
    return { words: wordsOf(query), meaning: isMixed ? shown(query, shownTerm) : undefined }
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error
    return { words: [], trouble: { message: error.message, position: error.position } }
  }
}

/**
 * Conditions of a query that must hold together, each as a query of its own.
 *
 * @returns none where the query is a single condition, has an error, or a part could not be written as the query says it
 */
export function conditionsOf(text: string): readonly string[] {
  try {
    const query = parseQuery(text)
    if (query.kind !== 'and') return []
    const parts = query.operands.map(each => shown(each, shownTerm))
    const isSame = parts.every(
      (part, at) => JSON.stringify(parseQuery(part)) === JSON.stringify(query.operands[at]),
    )
    return isSame ? parts : []
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error
    return []
  }
}

/** A query whose conditions must hold together. */
export function allOf(conditions: readonly string[]): string {
  if (conditions.length === 1) return conditions.join('')
  return conditions.map(each => (isJoin(parseQuery(each)) ? `(${each})` : each)).join(' AND ')
}

function shown<Leaf>(tree: Tree<Leaf>, leaf: (leaf: Leaf) => string): string {
  const node = tree as Tree<never>
  switch ((node as { kind: string }).kind) {
    case 'and':
    case 'or': {
      const { kind, operands } = tree as { kind: 'and' | 'or'; operands: readonly Tree<Leaf>[] }
      const parts = operands.map(each => {
        const text = shown(each, leaf)
        return isJoin(each) ? `(${text})` : text
      })
      return parts.join(kind === 'and' ? ' AND ' : ' OR ')
    }
    case 'not': {
      const { operand } = tree as { operand: Tree<Leaf> }
      return isJoin(operand) ? `NOT (${shown(operand, leaf)})` : `NOT ${shown(operand, leaf)}`
    }
    default:
      return leaf(tree as Leaf)
  }
}

function isJoin(tree: unknown): boolean {
  const { kind } = tree as { kind: string }
  return kind === 'and' || kind === 'or'
}

type Term = Exclude<Query, { kind: 'and' | 'or' | 'not' }>

function shownTerm(term: Term): string {
  if (term.kind === 'all') return '*'
  if (term.kind === 'text') return term.operator + shownText(term.text)
  const test = shown(term.test as FieldTest, shownTest)
  return `${term.name}:${isJoin(term.test) ? `(${test})` : test}`
}

function shownTest(test: { kind: 'present' } | Comparison): string {
  if (test.kind === 'present') return '*'
  const texts = test.texts.map(shownText)
  return test.operator + (texts.length === 1 ? texts[0] : `[${texts.join()}]`)
}

function shownText(text: string): string {
  return /^[^\s()"':[\]]+$/.test(text) ? text : JSON.stringify(text)
}

/** Texts of terms that lines must contain; those behind NOT are in no found line. */
function wordsOf(query: Query): string[] {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.operands.flatMap(wordsOf)
    case 'text':
      return [query.text]
    default:
      return []
  }
}
