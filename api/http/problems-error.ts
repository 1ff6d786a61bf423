import type { Problem } from '../../engine/event/problem.ts'
import { ApiError } from './errors.ts'

/** A `/v3` request whose body has findings, each with a JSON pointer into it (pipeline API, section 1.3). */
export class ProblemsError extends ApiError {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(400, 'BadRequest', sentence(problems))
    this.problems = problems
  }
}

function sentence(problems: readonly Problem[]): string {
  const [first] = problems
  if (first === undefined) return 'The request is not valid'
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return `${first.instancePath} ${first.message}`.trim() + more
}

/** The schema and the closer look can both find the same. */
export function distinct(problems: readonly Problem[]): Problem[] {
  return [
    ...new Map(problems.map(problem => [`${problem.instancePath} ${problem.message}`, problem])).values(),
  ]
}
