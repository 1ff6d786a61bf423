import type { Steps } from '../steps.ts'
import { ScriptProblem } from './script-problem.ts'
import { type Token, tokenAfter } from './script-tokens.ts'

/** Levels of brackets, blocks and operators within each other. */
export const MAX_LEVELS = 200
/** Characters between two pauses: a millisecond or two. */
const PIECE_CHARACTERS = 4_096

/** Reads the tokens of a script one after the other. All methods throw a ScriptProblem where the text is not as they expect. */
export class TokenReader {
  readonly text: string
  token: Token
  #levels = 0
  #pauseAt = PIECE_CHARACTERS

  constructor(text: string) {
    this.text = text
    this.token = tokenAfter(text, 0)
  }

  /** Moves to the next token. @returns the token before */
  next(): Token {
    const { token } = this
    this.token = tokenAfter(this.text, token.end)
    return token
  }

  /** Token after the present one, to which it does not move. */
  peek(): Token {
    return tokenAfter(this.text, this.token.end)
  }

  /** Whether the present token is this punctuation or word. */
  is(text: string): boolean {
    const { kind, text: present } = this.token
    return present === text && (kind === 'punctuation' || kind === 'name')
  }

  /** Moves past a punctuation or word. @returns whether it is there */
  take(text: string): boolean {
    const isThere = this.is(text)
    if (isThere) this.next()
    return isThere
  }

  expect(text: string): void {
    if (!this.take(text)) throw this.unexpected()
  }

  /** Moves past the end of a statement: a semicolon, or the places where JavaScript adds one. */
  endStatement(): void {
    if (this.take(';') || this.is('}') || this.token.kind === 'end' || this.token.isOnNewLine) return
    throw this.unexpected()
  }

  /** Reads something that is nested in another. */
  nested<Tree>(read: () => Tree): Tree {
    this.#enter()
    const tree = read()
    this.#levels--
    return tree
  }

  /** Like `nested`, in steps. */
  *nesting<Tree>(reading: Steps<Tree>): Steps<Tree> {
    this.#enter()
    const tree = yield* reading
    this.#levels--
    return tree
  }

  #enter(): void {
    if (++this.#levels > MAX_LEVELS)
      throw new ScriptProblem(`it is nested more than ${MAX_LEVELS} levels deep`, this.token.start)
  }

  /** Pauses if much has been read since the last pause. */
  *pauseIfDue(): Steps {
    const { start } = this.token
    if (start < this.#pauseAt) return
    this.#pauseAt = start + PIECE_CHARACTERS
    yield
  }

  /** Problem with the present token, which cannot stand here. */
  unexpected(): ScriptProblem {
    const { kind, text, start } = this.token
    if (kind === 'end') return new ScriptProblem('it ends too early', start)
    const construct = kind === 'string' || kind === 'number' ? undefined : CONSTRUCTS.get(text)
    return construct === undefined
      ? new ScriptProblem(`unexpected ${text}`, start)
      : notAvailable(construct, start)
  }
}

export function notAvailable(construct: string, at: number): ScriptProblem {
  return new ScriptProblem(`${construct} is not available`, at)
}

/** Names of constructs of JavaScript that scripts do not have, by the token that shows them. */
const CONSTRUCTS: ReadonlyMap<string, string> = new Map([
  ...[
    ...['switch', 'try', 'throw', 'class', 'this', 'super', 'with', 'debugger', 'break', 'continue', 'yield'],
    ...['await', 'import', 'export'],
  ].map(word => [word, `"${word}"`] as const),
  ...[
    ...[
      'typeof',
      'void',
      'delete',
      'in',
      'instanceof',
      '++',
      '--',
      '%',
      '**',
      '&',
      '|',
      '^',
      '~',
      '<<',
      '>>',
    ],
    ...['>>>', '??', ',', '%=', '**=', '&=', '|=', '^=', '<<=', '>>=', '>>>=', '&&=', '||=', '??='],
  ].map(operator => [operator, `the operator "${operator}"`] as const),
  ...['=', '+=', '-=', '*=', '/='].map(operator => [operator, 'an assignment within an expression'] as const),
  ['while', 'a "while" loop'],
  ['do', 'a "do" loop'],
  ['function', 'a function within the function'],
  ['async', 'an asynchronous function'],
  ['=>', 'an arrow function'],
  ['/', 'a regular expression'],
  ['`', 'a template literal'],
  ['?.', 'optional chaining'],
  ['...', 'the spread "..."'],
  ['#', 'a private name'],
  ['@', 'a decorator'],
])
