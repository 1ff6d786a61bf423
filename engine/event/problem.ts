/** One finding about a request body, in the words of a JSON schema validator (pipeline API, section 1.3). */
export interface Problem {
  /** JSON pointer into what was checked; empty for the whole of it. */
  readonly instancePath: string
  readonly message: string
}

/** Findings that a request is told of: more than anybody reads. A body of nothing but mistakes would have a million. */
export const MAX_PROBLEMS = 1000

/** A JSON pointer one step further down. */
export function pointerTo(parent: string, step: string | number): string {
  return `${parent}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`
}
