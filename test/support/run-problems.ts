import type { Problem } from '../../engine/event/problem.ts'
import type { RunProblems } from '../../engine/nodes/contract/define-processor.ts'

/** Problems of options that are stored, without the pauses of their check. */
export function runProblemsOf(found: RunProblems | undefined): Problem[] {
  return [...(found ?? [])].filter(problem => problem !== undefined)
}
