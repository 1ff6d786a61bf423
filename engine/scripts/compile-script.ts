import type { JsonValue } from '../../schemas/json.ts'
import { ExpressionSignal } from '../expressions/cost-meter.ts'
import { finish, type Steps } from '../steps.ts'
import { compilingBody } from './compile-statement.ts'
import { Names } from './names.ts'
import { readingScript } from './read-script.ts'
import { jsonOf } from './script-json.ts'
import { ScriptRun, ScriptStop, type ScriptSurroundings } from './script-run.ts'
import { type ScriptValue, scriptValueOf } from './script-value.ts'

/** Result of a call that came to its end. */
export interface ScriptResult {
  /** The value that it returned; null: none. */
  readonly value: JsonValue
  /** Values that the kept parameters have at the end; undefined for those that are missing. */
  readonly kept: readonly (JsonValue | undefined)[]
  /** Steps that it took. */
  readonly steps: number
  /** Position of the statement that returned; undefined: it ended without one. */
  readonly returnedAt: number | undefined
}

/** A call that exceeded a limit, or the budget of the event. */
export interface FailedCall {
  readonly failure: ScriptStop | ExpressionSignal
  readonly steps: number
}

/** A compiled script: one function of a user. Nothing of a call stays until the next. */
export interface Script {
  /** Number of its parameters. */
  readonly parameters: number
  /**
   * Calls the function. The values are private copies.
   *
   * @param steps most steps that it may take
   */
  call(
    values: readonly JsonValue[],
    surroundings: ScriptSurroundings,
    steps: number,
  ): ScriptResult | FailedCall
}

/** Compiles a script at once. @throws as `compilingScript` */
export function compileScript(text: string, kept?: readonly number[]): Script {
  return finish(compilingScript(text, kept))
}

/**
 * Compiles a script in steps. A long one takes tens of milliseconds.
 *
 * @param kept indexes of the parameters whose values at the end are a part of the result
 * @throws ScriptProblem when the text is outside the language: components, section 5.11
 */
export function* compilingScript(text: string, kept: readonly number[] = []): Steps<Script> {
  const { parameters, body } = yield* readingScript(text)
  const names = new Names()
  const slots = parameters.map(parameter => names.declare(parameter, 'parameter').slot)
  const doBody = yield* compilingBody(body, names)
  const run = new ScriptRun(names.slots)
  const resultOf = (given: number, steps: number): ScriptResult => ({
    value: jsonOf(run.result, run),
    kept: kept.map(index =>
      index < given ? jsonOf(run.slots[slots[index] as number] as ScriptValue, run, false) : undefined,
    ),
    steps: steps - run.left,
    returnedAt: run.returnedAt < 0 ? undefined : run.returnedAt,
  })
  return {
    parameters: parameters.length,
    call: (values, surroundings, steps) => {
      run.begin(surroundings, steps)
      const given = Math.min(values.length, slots.length)
      for (let index = 0; index < given; index++)
        run.slots[slots[index] as number] = scriptValueOf(values[index] as JsonValue)
      try {
        doBody(run)
        return resultOf(given, steps)
      } catch (error) {
        if (!(error instanceof ScriptStop || error instanceof ExpressionSignal)) throw error
        return { failure: error, steps: steps - run.left }
      } finally {
        run.end()
      }
    },
  }
}
