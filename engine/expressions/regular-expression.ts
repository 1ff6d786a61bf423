import { RE2JS, RE2JSException, RE2Set } from 're2js'
import { CountedMatching } from './counted-matching.ts'
import { type ExpressionProgram, expressionProgram, TooManyStepsError } from './expression-program.ts'
import { expressionSize } from './expression-size.ts'
import { simpleLowerCase } from './lower-case.ts'

/** An expression of a user, compiled for an engine that never backtracks: components, section 9.5. */
export interface RegularExpression {
  /** Whether it matches anywhere in the text, in time linear in the text. */
  test(text: string): boolean
  /** About as much work, in units, as `test` does to build it; 0: it is built. No budget is asked for that. */
  unitsToBuild(text: string): number
  /** Whether somebody has asked for its bound. */
  isRead(): boolean
  /** Reads it, so that the bound is known. @returns about as much work, in units, as that takes */
  read(): number
  /** Units that this costs at most, reckoned from the expression and the length of the text alone. */
  boundFor(text: string): number
  /** The same as `test`, counted; undefined: nobody can count what it costs, and the bound is what it costs. */
  counting(text: string): CountedMatching | undefined
}

const MAX_EXPRESSION_LENGTH = 4096
/**
 * Instructions of the compiled program. Any text of the greatest length fits, and one repeat of a thousand; repeats
 * of repeats do not. Time is linear in text times program: at the bound, text made for the purpose costs some 70 µs a character.
 */
const MAX_PROGRAM_SIZE = 5000

/** To read the expression takes that long for each step. */
const READ_UNITS = 64
/** To build a state takes that long. */
const BUILD_UNITS = 128

const LITERAL = /^[A-Za-z0-9_ ,:;=<>@%&!"'#~`/-]+$/
/** Letters that equal an ASCII letter once case is ignored, or stop doing so once lower-cased. */
const FOLDS_TO_ASCII = /[\u0130\u017f\u212a]/
const EXTENDED_FLAGS = /^\(\?([ims]*)x([imsx]*)\)/
/** An escaped character, a class, white space or a comment: what `x` leaves alone and what it takes out. */
const EXTENDED_PART = /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|\s+|#[^\n]*/g

/** @returns the reason, when the text is not an expression that the engine runs */
export function regularExpressionProblem(source: string): string | undefined {
  if (source.length > MAX_EXPRESSION_LENGTH)
    return `must NOT have more than ${MAX_EXPRESSION_LENGTH} characters`
  try {
    return isTooLarge(withoutExtended(source))
      ? 'Must be a valid regular expression: it is too large'
      : undefined
  } catch (error) {
    if (error instanceof RE2JSException) return `Must be a valid regular expression: ${error.message}`
    throw error
  }
}

/** @throws RE2JSException when the library does not accept it */
function isTooLarge(source: string): boolean {
  // Reads it, and builds nothing: that takes some forty times as long.
  new RE2Set().add(source)
  const most = expressionSize(source)?.states ?? Number.POSITIVE_INFINITY
  return most > MAX_PROGRAM_SIZE && RE2JS.compile(source).programSize() > MAX_PROGRAM_SIZE
}

/** What it takes to build an expression, in states; of a text that is no expression: what it takes to find that out. */
export function regularExpressionWeight(source: string): number {
  if (source.length > MAX_EXPRESSION_LENGTH) return 0
  return Math.max(source.length, expressionSize(withoutExtended(source))?.weight ?? 0)
}

/**
 * It is built when it is first matched: many are never asked about, and a pipeline may have many.
 *
 * @param source was accepted by `regularExpressionProblem`
 */
export function compileRegularExpression(
  source: string,
  { ignoreCase = false }: { readonly ignoreCase?: boolean } = {},
): RegularExpression {
  const key = `${ignoreCase ? 'i' : ''}/${source}`
  let shared = inUse.get(key)?.deref()
  if (shared === undefined) {
    shared = newExpression(source, ignoreCase)
    inUse.set(key, new WeakRef(shared))
    unused.register(shared, key)
  }
  return shared
}

/** All partitions of a process run the same pipelines: what one of them has built serves the others. */
const inUse = new Map<string, WeakRef<RegularExpression>>()
const unused = new FinalizationRegistry((key: string) => {
  if (inUse.get(key)?.deref() === undefined) inUse.delete(key)
})

function newExpression(source: string, ignoreCase: boolean): RegularExpression {
  const withoutFlag = withoutExtended(source)
  let built: RE2JS | undefined
  const compiled = () => {
    built ??= RE2JS.compile(withoutFlag, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    return built
  }
  const cost = costOf(withoutFlag, ignoreCase)
  const unitsToBuild = () => (built === undefined ? BUILD_UNITS * cost.boundFor('') : 0)
  if (!LITERAL.test(source))
    return {
      test: text => compiled().test(text),
      unitsToBuild,
      ...cost,
    }
  // Plain words are what most people write; looking for them directly is ten times as fast.
  if (!ignoreCase) return { test: text => text.includes(source), unitsToBuild: () => 0, ...cost }
  const lowered = simpleLowerCase(source)
  return {
    test: text => (FOLDS_TO_ASCII.test(text) ? compiled().test(text) : text.toLowerCase().includes(lowered)),
    unitsToBuild: text => (FOLDS_TO_ASCII.test(text) ? unitsToBuild() : 0),
    ...cost,
  }
}

/** It is thought out when somebody asks: without a budget nobody does. */
function costOf(
  source: string,
  ignoreCase: boolean,
): Pick<RegularExpression, 'isRead' | 'read' | 'boundFor' | 'counting'> {
  let known: { readonly program: ExpressionProgram | undefined; readonly size: number } | undefined
  const program = () => {
    if (known === undefined) {
      const made = programOf(source, ignoreCase)
      known = { program: made, size: made?.size ?? MAX_PROGRAM_SIZE }
    }
    return known
  }
  return {
    isRead: () => known !== undefined,
    read: () => READ_UNITS * program().size,
    boundFor: text => (text.length + 1) * program().size,
    counting: text => {
      const { program: counted } = program()
      return counted && new CountedMatching(counted, text)
    },
  }
}

function programOf(source: string, ignoreCase: boolean): ExpressionProgram | undefined {
  try {
    return expressionProgram(source, ignoreCase)
  } catch (error) {
    if (error instanceof TooManyStepsError) return undefined
    throw error
  }
}

/** The engine has no flag `x`; taking out what it ignores does the same when the flag leads the expression. */
function withoutExtended(source: string): string {
  const match = EXTENDED_FLAGS.exec(source)
  if (match === null) return source
  const others = `${match[1]}${match[2]}`.replaceAll('x', '')
  const body = source
    .slice(match[0].length)
    .replace(EXTENDED_PART, part => (/^(?:\s|#)/.test(part) ? '' : part))
  return others === '' ? body : `(?${others})${body}`
}
