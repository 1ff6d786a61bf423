import { stepsOf } from '../expression-program.ts'
import { parseExpression } from '../parse-expression.ts'
import { expandedPattern } from './grok-expression.ts'
import { GROK_LIBRARY } from './grok-library.ts'

/** Largest pattern that can be used: three times the largest of the library. (Our choice.) */
export const MAX_GROK_STEPS = 20_000

/** No part of a text is read twice: one reference without an end took seconds otherwise. */
const REFERENCE = /%\{(\w+)(?:[^\w}%][^}%]*)?\}/g
/** A capture begins and ends with a step of its own. */
const CAPTURE_STEPS = 2

const known = new Map<string, number>()

/** Number of steps of a pattern's program, computed without building it; unknown names count nothing. */
export function grokSteps(pattern: string): number {
  let steps = 0
  let literals = pattern.length
  for (const [text, name] of pattern.matchAll(REFERENCE)) {
    literals -= text.length
    steps += CAPTURE_STEPS + stepsOfName(name as string)
    if (steps > MAX_GROK_STEPS) break
  }
  return steps + literals
}

function stepsOfName(name: string): number {
  if (!GROK_LIBRARY.has(name)) return 0
  let steps = known.get(name)
  if (steps === undefined) {
    const groups: string[] = []
    steps =
      stepsOf(parseExpression(expandedPattern(`%{${name}}`, groups), {})) + CAPTURE_STEPS * groups.length
    known.set(name, steps)
  }
  return steps
}
