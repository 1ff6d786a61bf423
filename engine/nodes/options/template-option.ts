import type { Problem } from '../../event/problem.ts'
import { templateProblem } from '../../event/template.ts'

/** Finds the problems of an option that may refer to fields, as in `logs/{{ .app }}/`. */
export function templateProblems(instancePath: string, value: unknown): Problem[] {
  const message = typeof value === 'string' ? templateProblem(value) : undefined
  return message === undefined ? [] : [{ instancePath, message }]
}
