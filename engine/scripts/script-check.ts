import { Script } from 'node:vm'

/** 64 KiB: components, section 5.11. */
const MAX_SCRIPT_BYTES = 65_536
/** White space and comments that may precede the function. */
const FUNCTION_FIRST =
  /^(?:\s|\/\/[^\n\r\u2028\u2029]*[\n\r\u2028\u2029]|\/\*(?:[^*]|\*(?!\/))*\*\/)*function\b/
/**
 * Position at which the compiler stopped, at the start of a syntax error's stack: line number, text of the line, and a mark below
 * it. The mark is missing when the error is at the end.
 */
const FOUND_AT = /^script:(\d+)\n[^\n]*\n([ \t]*)[\^\n]/

/**
 * Checks a user's script when it is saved: it is compiled and never run. The processor that runs it enforces the subset of the
 * language (components, section 5.11).
 *
 * @returns the reason when the text is not a single function
 */
export function scriptProblem(source: string): string | undefined {
  if (source === '') return undefined // reported as too short
  if (Buffer.byteLength(source) > MAX_SCRIPT_BYTES) return `must NOT have more than ${MAX_SCRIPT_BYTES} bytes`
  const problem = syntaxProblem(source)
  if (problem !== undefined) return `script is not valid JavaScript: ${problem}`
  return isOneFunction(source) ? undefined : 'script must contain exactly one function and nothing else'
}

function syntaxProblem(source: string): string | undefined {
  try {
    new Script(source, { filename: 'script' })
    return undefined
  } catch (error) {
    if (error instanceof RangeError) return 'it is nested too deeply'
    if (!(error instanceof SyntaxError)) throw error
    const [, line, margin] = FOUND_AT.exec(error.stack ?? '') ?? []
    return margin === undefined
      ? error.message
      : `${error.message} (line ${line}, column ${margin.length + 1})`
  }
}

/**
 * Compiles the text as the body of an `if` with an `else`: only a single statement can precede `else`, for example one function.
 */
function isOneFunction(source: string): boolean {
  const declaration = source.replace(/[\s;]+$/, '')
  return FUNCTION_FIRST.test(source) && syntaxProblem(`if (0) ${declaration}\nelse {}`) === undefined
}
