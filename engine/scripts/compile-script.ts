import type { JsonValue } from '../../schemas/json.ts'
import { compileBody } from './compile-statement.ts'
import { Names } from './names.ts'
import { readScript } from './read-script.ts'
import { jsonOf } from './script-json.ts'
import { placeOf, ScriptProblem, type TextPlace } from './script-problem.ts'
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

/** A call that exceeded a limit. */
export interface FailedCall {
  readonly failure: ScriptStop
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

/** A problem of a script, with its place. */
export interface PlacedProblem extends TextPlace {
  readonly message: string
}

/** @returns the first reason why a text cannot run */
export function scriptRunProblem(text: string): PlacedProblem | undefined {
  try {
    compileScript(text)
    return undefined
  } catch (error) {
    if (!(error instanceof ScriptProblem)) throw error
    return { message: error.message, ...placeOf(text, error.at) }
  }
}

/**
 * @param kept indexes of the parameters whose values at the end are a part of the result
 * @throws ScriptProblem when the text is outside the language: components, section 5.11
 */
export function compileScript(text: string, kept: readonly number[] = []): Script {
  const { parameters, body } = readScript(text)
  const names = new Names()
  const slots = parameters.map(parameter => names.declare(parameter, 'parameter').slot)
  const doBody = compileBody(body, names)
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
        if (!(error instanceof ScriptStop)) throw error
        return { failure: error, steps: steps - run.left }
      } finally {
        run.end()
      }
    },
  }
}
