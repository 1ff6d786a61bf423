import type { JsonValue } from '../../../schemas/json.ts'
import { type Failed, fail } from '../../event/outcome.ts'
import type { Script, ScriptResult } from '../../scripts/compile-script.ts'
import { MAX_STEPS, TOO_MANY_STEPS } from '../../scripts/script-run.ts'
import type { CostMeter } from '../contract/define-processor.ts'

/** Cause of a failure for want of saved units. */
export const USED_UP = "the account's scripts have used up this second"

/** State variables of a pipeline, which nobody can change yet: components, section 8.5. */
const STATE_VARIABLES: ReadonlyMap<string, string> = new Map([['operational_state', 'normal']])

/**
 * Calls a script on the present event, and counts its steps.
 *
 * @param valuesFor gives the values for so many parameters, or fewer: reading those of an event may take long
 * @param nowMs log time of the event's record
 * @returns the failure of the event if the script exceeded a limit
 */
export function callScript(
  script: Script,
  valuesFor: (parameters: number) => readonly JsonValue[],
  nowMs: number,
  meter: Pick<CostMeter, 'stepsLeft' | 'takeSteps'>,
): ScriptResult | Failed<'E_SCRIPT_FAILED'> {
  const left = meter.stepsLeft()
  const values = valuesFor(script.parameters)
  const result = script.call(values, { nowMs, stateVariable }, Math.min(MAX_STEPS, left))
  meter.takeSteps(result.steps)
  if (!('failure' in result)) return result
  const isUsedUp = result.failure === TOO_MANY_STEPS && left < MAX_STEPS
  return fail('E_SCRIPT_FAILED', { cause: isUsedUp ? USED_UP : result.failure.message })
}

function stateVariable(name: string): string | null {
  return STATE_VARIABLES.get(name) ?? null
}
