import type { JsonValue } from '../../../schemas/json.ts'
import { type Failed, fail } from '../../event/outcome.ts'
import { ExpressionSignal } from '../../expressions/cost-meter.ts'
import type { CountedWork } from '../../expressions/counted-work.ts'
import type { Script, ScriptResult } from '../../scripts/compile-script.ts'
import { scriptCalls } from '../../scripts/script-calls.ts'
import { MAX_STEPS, TOO_MANY_STEPS } from '../../scripts/script-run.ts'
import type { CostMeter } from '../contract/define-processor.ts'
import { initialVariable } from '../contract/pipeline-variables.ts'

/** Cause of a failure for want of saved units. */
export const USED_UP = "the account's scripts have used up this second"

/** Parts of a meter that scripts use. */
export type ScriptMeter = Pick<
  CostMeter,
  'stepsLeft' | 'takeSteps' | 'countAtOnce' | 'paysForEqualTexts' | 'readsUpperPrefixes'
>

/**
 * Calls a script on the present event, and counts its steps.
 *
 * @param valuesFor gives the values for so many parameters, or fewer: reading those of an event may take long
 * @param nowMs log time of the event's record
 * @param stateVariable reads a state variable of the pipeline
 * @returns the failure of the event if the script exceeded a limit
 * @throws BEYOND_BUDGET
 */
export function callScript(
  script: Script,
  valuesFor: (parameters: number) => readonly JsonValue[],
  nowMs: number,
  meter: ScriptMeter,
  stateVariable = initialVariable,
): ScriptResult | Failed<'E_SCRIPT_FAILED'> {
  const left = meter.stepsLeft()
  const search = <Answer>(begin: () => CountedWork<Answer>) => meter.countAtOnce(begin)
  const values = valuesFor(script.parameters)
  const { paysForEqualTexts, readsUpperPrefixes } = meter
  const surroundings = { nowMs, stateVariable, search, paysForEqualTexts, readsUpperPrefixes }
  const result = script.call(values, surroundings, Math.min(MAX_STEPS, left))
  meter.takeSteps(result.steps)
  scriptCalls.note(result.steps)
  if (!('failure' in result)) return result
  if (result.failure instanceof ExpressionSignal) throw result.failure
  const isUsedUp = result.failure === TOO_MANY_STEPS && left < MAX_STEPS
  return fail('E_SCRIPT_FAILED', { cause: isUsedUp ? USED_UP : result.failure.message })
}
