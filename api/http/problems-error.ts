import { MAX_PROBLEMS, type Problem } from '../../engine/event/problem.ts'
import { ApiError } from './errors.ts'

/** A `/v3` request whose body has findings, each with a JSON pointer into it (pipeline API, section 1.3). */
export class ProblemsError extends ApiError {
  /** The first thousand. */
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(400, 'BadRequest', sentence(problems))
    this.problems = problems.slice(0, MAX_PROBLEMS)
  }
}

function sentence(problems: readonly Problem[]): string {
  const [first] = problems
  if (first === undefined) return 'The request is not valid'
  // Nobody has looked for more.
  const atLeast = problems.length >= MAX_PROBLEMS ? 'at least ' : ''
  const more = problems.length > 1 ? ` (and ${atLeast}${problems.length - 1} more)` : ''
  return `${first.instancePath} ${first.message}`.trim() + more
}

/** The schema and the closer look can both find the same. */
export function distinct(problems: readonly Problem[]): Problem[] {
  return [
    ...new Map(problems.map(problem => [`${problem.instancePath} ${problem.message}`, problem])).values(),
  ]
}
