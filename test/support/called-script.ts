import { answerOf, type CountedWork } from '../../engine/expressions/counted-work.ts'
import { parseExactJson } from '../../engine/json/exact-json.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import { compileScript } from '../../engine/scripts/compile-script.ts'
import { MAX_STEPS } from '../../engine/scripts/script-run.ts'
import { scriptRunProblem } from '../../engine/scripts/script-run-problem.ts'
import { finish } from '../../engine/steps.ts'
import type { JsonValue } from '../../schemas/json.ts'

/** Log time of every call: 2031-03-09T08:15:30.250Z. */
export const CALL_TIME_MS = Date.parse('2031-03-09T08:15:30.250Z')

/** Result of a call: a value as its JSON text, or the sentence about the limit that it exceeded. */
export interface CalledScript {
  readonly value: string
  readonly failure: string | undefined
  readonly steps: number
}

/** Calls a script of one or more parameters once. @param text of the function @param values JSON texts */
export function calledScript(text: string, values: readonly string[] = [], steps = MAX_STEPS): CalledScript {
  const given = values.map(parseExactJson) as JsonValue[]
  const surroundings = {
    nowMs: CALL_TIME_MS,
    stateVariable: (name: string) => (name === 'operational_state' ? 'normal' : null),
    search: <Answer>(begin: () => CountedWork<Answer>) => answerOf(begin()),
  }
  const result = compileScript(text).call(given, surroundings, steps)
  return 'failure' in result
    ? { value: '', failure: result.failure.message, steps: result.steps }
    : { value: jsonText(result.value), failure: undefined, steps: result.steps }
}

/** JSON text of the value that a body of statements gives `msg`; it begins as the given message. */
export function messageAfter(body: string, message = '{}'): string {
  const { value, failure } = calledScript(`function f(msg) {\n${body}\nreturn msg\n}`, [message])
  return failure ?? value
}

/** JSON text of the value of an expression; 'nothing' when its statement does nothing. */
export function valueOfExpression(expression: string, message = '{}'): string {
  const { value, failure } = calledScript(
    `function f(msg) { let r = 'nothing'; r = [${expression}]; return r }`,
    [message],
  )
  return failure ?? (value === '"nothing"' ? 'nothing' : value.slice(1, -1))
}

/** The first problem of a script, as a sentence with its place. */
export function problemOfScript(text: string): string | undefined {
  const problem = finish(scriptRunProblem(text))
  return problem && `${problem.line}:${problem.column} ${problem.message}`
}
