import { hash } from 'node:crypto'
import type { JsonObject } from '../../../schemas/json.ts'
import type { ProcessorOutput } from '../contract/define-processor.ts'

const NAME_DIGITS = 8

/** The output of events that match no rule. */
export const UNMATCHED: ProcessorOutput = { name: '_unmatched', label: 'Unmatched' }

/** The name in a rule; empty without one. */
export function outputNameOf(rule: JsonObject | undefined): string {
  return typeof rule?._output_name === 'string' ? rule._output_name : ''
}

/**
 * Eight hex digits from the identity of a rule: the same options give the same names, without randomness.
 *
 * @param taken names in use; the new one is added
 */
export function newOutputName(knownBy: string, taken: Set<string>): string {
  for (let attempt = 0; ; attempt++) {
    const name = hash('sha256', `${attempt} ${knownBy}`).slice(0, NAME_DIGITS)
    if (taken.has(name)) continue
    taken.add(name)
    return name
  }
}
