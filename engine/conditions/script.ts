import { Script } from 'node:vm'

/** 64 KiB: components, section 5.11. */
const MAX_SCRIPT_BYTES = 65_536
/** What may stand before the function: white space and comments. */
const FUNCTION_FIRST =
  /^(?:\s|\/\/[^\n\r\u2028\u2029]*[\n\r\u2028\u2029]|\/\*(?:[^*]|\*(?!\/))*\*\/)*function\b/
/** Where the compiler stopped, before the message of a syntax error: the line's number, its text, and below it a mark, but none at the end. */
const FOUND_AT = /^script:(\d+)\n[^\n]*\n([ \t]*)[\^\n]/

/**
 * Checks a user's script as it is saved. It is compiled and never run; whether it keeps to the subset of the language
 * that processors run is up to whoever runs it (components, section 5.11).
 *
 * @returns the reason, when the text is not one function
 */
export function scriptProblem(source: string): string | undefined {
  if (source === '') return undefined // Its length is what is wrong with it.
  if (Buffer.byteLength(source) > MAX_SCRIPT_BYTES) return `must NOT have more than ${MAX_SCRIPT_BYTES} bytes`
  const problem = syntaxProblem(source)
  if (problem !== undefined) return `script is not valid JavaScript: ${problem}`
  return isOneFunction(source) ? undefined : 'script must hold exactly one function, and nothing beside it'
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

/** As the body of an `if` a declaration of a function may stand alone only: `else` cannot follow a second statement. */
function isOneFunction(source: string): boolean {
  const declaration = source.replace(/[\s;]+$/, '')
  return FUNCTION_FIRST.test(source) && syntaxProblem(`if (0) ${declaration}\nelse {}`) === undefined
}
