import { RE2JS, RE2JSException, RE2Set } from 're2js'
import { type AutomatonSize, automatonSize } from './automaton-size.ts'
import { CountedMatching, START_UNITS } from './counted-matching.ts'
import { type ExpressionProgram, expressionProgram, TooManyStepsError } from './expression-program.ts'
import { expressionSize } from './expression-size.ts'
import { withoutExtended } from './extended-flag.ts'
import { simpleLowerCase } from './lower-case.ts'

/** A user's expression, compiled for an engine that never backtracks: components, section 9.5. */
export interface RegularExpression {
  /** Whether it matches anywhere in the text, in time linear in the text. */
  test(text: string): boolean
  /** Whether `test` searches this text directly, without the library: it is ten times as fast. */
  isSought(text: string): boolean
  /** Approximate cost of building it, in the units of `test`; 0: it is built. This cost is not charged to a budget. */
  unitsToBuild(text: string): number
  /** Whether its bound was computed. */
  isRead(): boolean
  /** Computes the bound. @returns approximate cost of this, in units */
  read(): number
  /** Upper bound on the cost in units, computed only from the expression and the length of the text. */
  boundFor(text: string): number
  /** Whether `test` stays within the bound on each text. It does not where its automaton may have many states. */
  isBounded(): boolean
  /** Like `test`, but counted; undefined: counting is not possible, and the bound counts as the cost. */
  counting(text: string): CountedMatching | undefined
}

const MAX_EXPRESSION_LENGTH = 4096
/**
 * Maximum number of instructions of the compiled program. Any text of the greatest length fits, and one repeat of a thousand;
 * nested repeats do not.
 */
const MAX_PROGRAM_SIZE = 5000

/** Size of an expression that cannot be counted: several times the maximum, because its steps in the library take longer. */
export const UNCOUNTED_SIZE = 4 * MAX_PROGRAM_SIZE

/** Units per step for reading the expression. */
const READ_UNITS = 64
/** Units per state for building it, and per unit of work on its automaton. */
const BUILD_UNITS = 128
const AUTOMATON_UNITS = 8

const LITERAL = /^[A-Za-z0-9_ ,:;=<>@%&!"'#~`/-]+$/
/** Letters that equal an ASCII letter when case is ignored, or that stop doing so after lower-casing. */
const FOLDS_TO_ASCII = /[\u0130\u017f\u212a]/

/** @returns the reason when the engine cannot run the text as an expression */
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

/** @throws RE2JSException when the library refuses it */
function isTooLarge(source: string): boolean {
  // Parses the expression without building it, which would take about forty times as long.
  new RE2Set().add(source)
  const most = expressionSize(source)?.states ?? Number.POSITIVE_INFINITY
  return most > MAX_PROGRAM_SIZE && RE2JS.compile(source).programSize() > MAX_PROGRAM_SIZE
}

/** Cost of building an expression, in states; for an invalid expression, the cost of finding the error. */
export function regularExpressionWeight(source: string): number {
  if (source.length > MAX_EXPRESSION_LENGTH) return 0
  return Math.max(source.length, expressionSize(withoutExtended(source))?.weight ?? 0)
}

/**
 * Compiles on the first match, because a pipeline may have many expressions that are never used.
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

/** Compiled expressions, shared by all partitions of the process, which run the same pipelines. */
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
  const isLiteral = LITERAL.test(source)
  const cost = costOf(withoutFlag, ignoreCase, isLiteral)
  const unitsToBuild = () => (built === undefined ? cost.unitsToBuild() : 0)
  if (!isLiteral) return { ...cost, test: text => compiled().test(text), isSought: () => false, unitsToBuild }
  // Most patterns are plain words.
  if (!ignoreCase)
    return { ...cost, test: text => text.includes(source), isSought: () => true, unitsToBuild: () => 0 }
  const lowered = simpleLowerCase(source)
  return {
    ...cost,
    test: text => (FOLDS_TO_ASCII.test(text) ? compiled().test(text) : text.toLowerCase().includes(lowered)),
    isSought: text => !FOLDS_TO_ASCII.test(text),
    unitsToBuild: text => (FOLDS_TO_ASCII.test(text) ? unitsToBuild() : 0),
  }
}

type Cost = Pick<RegularExpression, 'isRead' | 'read' | 'boundFor' | 'isBounded' | 'counting'> & {
  unitsToBuild(): number
}

/** Facts about an expression that was read. */
interface Known {
  readonly program: ExpressionProgram | undefined
  readonly size: number
  readonly automaton: AutomatonSize
}

/** The automaton of a literal has a state for each character, and literals are rarely run as expressions. */
const OF_LITERAL: AutomatonSize = { work: 0, units: 0 }
const OF_NONE: AutomatonSize = { work: undefined, units: 0 }

/** Cost functions that read the expression on demand: without a budget that is never needed. */
function costOf(source: string, ignoreCase: boolean, isLiteral: boolean): Cost {
  let known: Known | undefined
  const reading = () => {
    known ??= readExpression(source, ignoreCase, isLiteral)
    return known
  }
  return {
    isRead: () => known !== undefined,
    read: () => READ_UNITS * reading().size + reading().automaton.units,
    boundFor: text => START_UNITS + (text.length + 1) * reading().size,
    isBounded: () => reading().automaton.work !== undefined,
    unitsToBuild: () => BUILD_UNITS * reading().size + AUTOMATON_UNITS * (reading().automaton.work ?? 0),
    counting: text => {
      const { program: counted } = reading()
      return counted && new CountedMatching(counted, text)
    },
  }
}

function readExpression(source: string, ignoreCase: boolean, isLiteral: boolean): Known {
  const program = programOf(source, ignoreCase)
  if (program === undefined) return { program, size: UNCOUNTED_SIZE, automaton: OF_NONE }
  return { program, size: program.size, automaton: isLiteral ? OF_LITERAL : automatonSize(program) }
}

function programOf(source: string, ignoreCase: boolean): ExpressionProgram | undefined {
  try {
    return expressionProgram(source, ignoreCase)
  } catch (error) {
    if (error instanceof TooManyStepsError) return undefined
    throw error
  }
}
