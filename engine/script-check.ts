import { Script } from 'node:vm'

const SCRIPT = 'script is not valid JavaScript'
/** Where the compiler stopped, as it stands before the message of a syntax error: line, its text, and a mark below, but none at the end. */
const PLACE = /^script:(\d+)\n[^\n]*\n([ \t]*)[\^\n]/

/**
 * Compiles a script as JavaScript, without running any of it.
 *
 * @returns what is wrong with it; undefined when it compiles
 */
export function scriptProblem(source: string): string | undefined {
  try {
    new Script(source, { filename: 'script' })
    return undefined
  } catch (error) {
    if (error instanceof RangeError) return `${SCRIPT}: it is nested too deeply`
    if (!(error instanceof SyntaxError)) throw error
    const [, line, margin] = PLACE.exec(error.stack ?? '') ?? []
    const place = margin === undefined ? '' : ` (line ${line}, column ${margin.length + 1})`
    return `${SCRIPT}: ${error.message}${place}`
  }
}
