import { QuerySyntaxError } from './query-syntax-error.ts'
import type { MatchOperator, OrderOperator } from './syntax-tree.ts'

const BLANK = /\s/
const BLANKS = /\s*/y
/** A word ends before white space, parentheses and double quotes; a single quote inside it is literal. */
const WORD = /[^\s()"]*/y
const KEYWORD = /(?:AND|OR|NOT)(?=[\s()"]|$)/y
const MATCH_OPERATOR = /={0,3}/y
const OPERATOR = /={1,3}|>=|<=|>|<|/y
const LIST_START = /={0,3}\[/y
const STAR = /\*(?=[\s()"]|$)/y

/** Reads the tokens of a query, left to right: query language, section 4.1. */
export class QueryScanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get position(): number {
    return this.#at
  }

  get next(): string {
    return this.#text.charAt(this.#at)
  }

  /** True at the end of the text or before the end of a group. */
  get atEnd(): boolean {
    return this.#at >= this.#text.length || this.next === ')'
  }

  get atBlankOrEnd(): boolean {
    return this.atEnd || BLANK.test(this.next)
  }

  get keyword(): string {
    return this.#look(KEYWORD)
  }

  get isList(): boolean {
    return this.#look(LIST_START) !== ''
  }

  skip(characters: number): void {
    this.#at += characters
  }

  skipBlanks(): void {
    this.#take(BLANKS)
  }

  takeIf(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false
    this.#at += token.length
    return true
  }

  /** Reads a star that is a word of its own. */
  takeStar(): boolean {
    return this.#take(STAR) !== ''
  }

  takeMatchOperator(): MatchOperator {
    return this.#take(MATCH_OPERATOR) as MatchOperator
  }

  takeOperator(): MatchOperator | OrderOperator {
    return this.#take(OPERATOR) as MatchOperator | OrderOperator
  }

  takeWord(): string {
    return this.#take(WORD)
  }

  /** Reads the name before a colon, and the colon; undefined when no field begins here. */
  takeFieldName(): string | undefined {
    const word = this.#look(WORD)
    const colon = word.indexOf(':')
    if (colon === -1) return undefined
    if (colon === 0) throw this.error('has a ":" without a field name')
    this.#at += colon + 1
    return word.slice(0, colon)
  }

  /** Reads a phrase and resolves its escapes; undefined when no phrase begins here. */
  takePhrase(): string | undefined {
    const quote = this.next
    if (quote !== '"' && quote !== "'") return undefined
    let phrase = ''
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const character = this.#text.charAt(at)
      if (character === quote) {
        this.#at = at + 1
        return phrase
      }
      const following = this.#text.charAt(at + 1)
      const escapes = character === '\\' && (following === '"' || following === "'" || following === '\\')
      phrase += escapes ? following : character
      if (escapes) at++
    }
    throw this.error('has an unbalanced quote')
  }

  /** Reads the elements of a list, after its operator. White space, quotes and parentheses belong to them. */
  takeList(): string[] {
    const end = this.#text.indexOf(']', this.#at)
    if (end === -1) throw this.error('has an unbalanced bracket')
    const elements = this.#text.slice(this.#at + 1, end).split(',')
    if (elements.includes('')) throw this.error('has a list with an empty element')
    this.#at = end + 1
    return elements
  }

  error(problem: string): QuerySyntaxError {
    return new QuerySyntaxError(problem, this.#at)
  }

  #look(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#text)?.[0] ?? ''
  }

  #take(pattern: RegExp): string {
    const token = this.#look(pattern)
    this.#at += token.length
    return token
  }
}
