import { QueryScanner } from './query-scanner.ts'
import { QuerySyntaxError } from './query-syntax-error.ts'
import {
  type Comparison,
  type FieldTerm,
  type FieldTest,
  isOrderOperator,
  type MatchOperator,
  type Query,
  type TextTerm,
  type Tree,
} from './syntax-tree.ts'

/** Limit far above the length of real queries; it keeps the statement below the engine's limit. */
export const MAX_QUERY_BYTES = 8192
/** Maximum depth of nested parentheses. */
export const MAX_QUERY_NESTING = 50

/**
 * Parses a query: query language, section 4.1. Our choices where the grammar is silent: a `NOT` inside `f:(…)` negates as it does
 * outside; `=` before a word makes it text, colons included; an empty list element is an error.
 *
 * @throws QuerySyntaxError
 */
export function parseQuery(text: string): Query {
  if (text.length > MAX_QUERY_BYTES || new TextEncoder().encode(text).length > MAX_QUERY_BYTES)
    throw new QuerySyntaxError(`must not be longer than ${MAX_QUERY_BYTES} bytes`)
  // Text that is not Unicode reaches the store as U+FFFD; parsing it in that form gives both the same text.
  return new QueryParser(text.toWellFormed()).parse()
}

class QueryParser {
  readonly #scanner: QueryScanner
  #nesting = 0

  constructor(text: string) {
    this.#scanner = new QueryScanner(text)
  }

  parse(): Query {
    const scanner = this.#scanner
    scanner.skipBlanks()
    if (scanner.next === '') return { kind: 'all' }
    const query = this.#and(this.#readTerm)
    if (scanner.next === ')') throw scanner.error('has an unbalanced parenthesis')
    return query
  }

  /** AND joins the results of OR: OR binds tighter. */
  #and<Leaf>(readOperand: () => Tree<Leaf>): Tree<Leaf> {
    const scanner = this.#scanner
    const operands = [this.#or(readOperand)]
    for (scanner.skipBlanks(); !scanner.atEnd; scanner.skipBlanks()) {
      this.#takeJoin('AND')
      operands.push(this.#or(readOperand))
    }
    return joined('and', operands)
  }

  #or<Leaf>(readOperand: () => Tree<Leaf>): Tree<Leaf> {
    const scanner = this.#scanner
    const operands = [this.#not(readOperand)]
    for (scanner.skipBlanks(); this.#takeJoin('OR'); scanner.skipBlanks())
      operands.push(this.#not(readOperand))
    return joined('or', operands)
  }

  #not<Leaf>(readOperand: () => Tree<Leaf>): Tree<Leaf> {
    const negated = this.#takeNegation()
    const operand = this.#scanner.next === '(' ? this.#group(readOperand) : readOperand()
    return negated ? { kind: 'not', operand } : operand
  }

  /** A negation must not be followed by a keyword or an end; a second `-` belongs to the word. */
  #takeNegation(): boolean {
    const scanner = this.#scanner
    const { keyword } = scanner
    if (keyword !== '' && keyword !== 'NOT') throw scanner.error(`has a dangling ${keyword}`)
    if (keyword === 'NOT') {
      this.#takeKeyword(keyword)
    } else if (scanner.takeIf('-')) {
      if (scanner.atBlankOrEnd) throw scanner.error('has a dangling "-"')
    } else {
      return false
    }
    if (scanner.keyword !== '') throw scanner.error(`has a dangling ${scanner.keyword}`)
    return true
  }

  #takeJoin(word: 'AND' | 'OR'): boolean {
    if (this.#scanner.keyword !== word) return false
    this.#takeKeyword(word)
    return true
  }

  #takeKeyword(word: string): void {
    const scanner = this.#scanner
    const error = scanner.error(`has a dangling ${word}`)
    scanner.skip(word.length)
    scanner.skipBlanks()
    if (scanner.atEnd) throw error
  }

  #group<Leaf>(readOperand: () => Tree<Leaf>): Tree<Leaf> {
    const scanner = this.#scanner
    const unbalanced = scanner.error('has an unbalanced parenthesis')
    if (++this.#nesting > MAX_QUERY_NESTING) throw scanner.error('is nested too deep')
    scanner.skip(1)
    scanner.skipBlanks()
    if (scanner.next === ')') throw scanner.error('has an empty group')
    if (scanner.next === '') throw unbalanced
    const tree = this.#and(readOperand)
    if (!scanner.takeIf(')')) throw unbalanced
    this.#nesting--
    return tree
  }

  readonly #readTerm = (): Query => {
    const scanner = this.#scanner
    if (scanner.takeStar()) return { kind: 'all' }
    const phrase = scanner.takePhrase()
    if (phrase !== undefined) return { kind: 'text', operator: '', text: phrase }
    if (scanner.next === '=') return this.#textWithOperator()
    const name = scanner.takeFieldName()
    return name === undefined ? this.#word('') : this.#field(name)
  }

  #textWithOperator(): TextTerm {
    const operator = this.#scanner.takeMatchOperator()
    const phrase = this.#scanner.takePhrase()
    return phrase === undefined ? this.#word(operator) : { kind: 'text', operator, text: phrase }
  }

  #word(operator: MatchOperator): TextTerm {
    const word = this.#requiredWord(operator)
    return { kind: 'text', operator, text: withoutTrailingStar(word) }
  }

  #requiredWord(operator: Comparison['operator']): string {
    const word = this.#scanner.takeWord()
    if (word !== '') return word
    // An operand must begin here and no operator precedes, so only a closing parenthesis can be the reason.
    throw this.#scanner.error(
      operator === '' ? 'has an unbalanced parenthesis' : `has a dangling "${operator}"`,
    )
  }

  #field(name: string): FieldTerm {
    const scanner = this.#scanner
    if (scanner.atBlankOrEnd) throw scanner.error(`has no value for field ${JSON.stringify(name)}`)
    const negated = scanner.takeIf('-')
    if (negated && scanner.atBlankOrEnd) throw scanner.error('has a dangling "-"')
    const test = this.#fieldTest()
    return { kind: 'field', name, test: negated ? { kind: 'not', operand: test } : test }
  }

  #fieldTest(): FieldTest {
    const scanner = this.#scanner
    if (scanner.next === '(') return this.#group(this.#readValueInGroup)
    if (!scanner.isList) return this.#value(false)
    const operator = scanner.takeMatchOperator()
    return { kind: 'comparison', operator, texts: scanner.takeList().map(withoutTrailingStar) }
  }

  readonly #readValueInGroup = (): FieldTest => this.#value(true)

  #value(inGroup: boolean): FieldTest {
    const scanner = this.#scanner
    if (scanner.takeStar()) return { kind: 'present' }
    const operator = scanner.takeOperator()
    if (inGroup) scanner.skipBlanks()
    const phrase = scanner.takePhrase()
    return phrase === undefined
      ? this.#wordValue(operator)
      : { kind: 'comparison', operator, texts: [phrase] }
  }

  #wordValue(operator: Comparison['operator']): Comparison {
    const word = this.#requiredWord(operator)
    const text = isOrderOperator(operator) ? word : withoutTrailingStar(word)
    return { kind: 'comparison', operator, texts: [text] }
  }
}

function joined<Leaf>(kind: 'and' | 'or', operands: readonly Tree<Leaf>[]): Tree<Leaf> {
  return operands.length === 1 ? (operands[0] as Tree<Leaf>) : { kind, operands }
}

/** A trailing star has no effect, because words match by their beginning anyway. */
function withoutTrailingStar(word: string): string {
  return word.length > 1 && word.endsWith('*') ? word.slice(0, -1) : word
}
