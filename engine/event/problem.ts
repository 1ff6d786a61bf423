/** One finding about a request body, in the words of a JSON schema validator (pipeline API, section 1.3). */
export interface Problem {
  /** JSON pointer into the checked value; empty for the whole value. */
  readonly instancePath: string
  readonly message: string
}

/** Maximum number of findings in an answer. A body that consists of mistakes would have a million. */
export const MAX_PROBLEMS = 1000

/** A JSON pointer one step further down. */
export function pointerTo(parent: string, step: string | number): string {
  return `${parent}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

const QUOTED_CHARACTERS = 100

/** A name that was sent, as a message quotes it: of a long one only the beginning. */
export function quotable(name: string): string {
  if (name.length <= QUOTED_CHARACTERS) return name
  return `${name.slice(0, QUOTED_CHARACTERS).toWellFormed()}…`
}
