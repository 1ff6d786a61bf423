import { MAX_PROBLEMS, type Problem, quotable } from '../../engine/event/problem.ts'
import { ApiError } from './errors.ts'

/**
 * Maximum length of all findings of an answer together, in characters; the last one may exceed it. Otherwise the pointers
 * of a thousand findings would repeat one very long name.
 */
const MAX_PROBLEM_CHARACTERS = 256 * 1024

/** A `/v3` request whose body has findings, each with a JSON pointer into it (pipeline API, section 1.3). */
export class ProblemsError extends ApiError {
  /** The first ones, as many as an answer holds. None is there twice. */
  readonly problems: readonly Problem[]

  constructor(found: readonly Problem[]) {
    const { problems, repeats, isCut } = distinct(found)
    super(400, 'BadRequest', sentence(problems[0], found.length - repeats - 1, isCut))
    this.problems = problems
  }
}

/** @param isCut whether there may be more than `others` */
function sentence(first: Problem | undefined, others: number, isCut: boolean): string {
  if (first === undefined) return 'The request is not valid'
  const more = others > 0 ? ` (and ${isCut ? 'at least ' : ''}${others} more)` : ''
  return `${quotable(first.instancePath)} ${first.message}`.trim() + more
}

/** The schema and the closer look can both find the same. */
function distinct(found: readonly Problem[]) {
  const shown = new Map<string, Problem>()
  let [repeats, characters] = [0, 0]
  for (const problem of found) {
    if (shown.size === MAX_PROBLEMS || characters >= MAX_PROBLEM_CHARACTERS) break
    const text = `${problem.instancePath} ${problem.message}`
    characters += text.length
    if (shown.has(text)) repeats++
    else shown.set(text, problem)
  }
  // Searches end at this number.
  const isCut = found.length >= MAX_PROBLEMS || shown.size + repeats < found.length
  return { problems: [...shown.values()], repeats, isCut }
}
