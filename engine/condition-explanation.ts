import type { JsonObject } from '../schemas/json.ts'
import { type Condition, compileLeaf, type Leaf } from './condition.ts'
import type { Event } from './event.ts'
import { fieldAt } from './field-path.ts'

const SILENT = () => {}

/**
 * Makes of a conditional what shows somebody how its comparisons turn out for an event: all of them, in order, also
 * those that the conditional itself would not have come to.
 */
export function explainCondition(condition: Condition | JsonObject): (event: Event) => JsonObject[] {
  const comparisons = leavesOf(condition as Condition).map(leaf => {
    const field = fieldAt(leaf.field)
    const meets = compileLeaf(leaf, SILENT)
    return (event: Event): JsonObject => {
      const actual = field.read(event)
      return {
        ...(leaf as unknown as JsonObject),
        ...(actual === undefined ? {} : { actual }),
        met: meets(event),
      }
    }
  })
  return event => comparisons.map(comparison => comparison(event))
}

function leavesOf({ expressions }: Condition): Leaf[] {
  return expressions.flatMap(expression =>
    'expressions' in expression ? leavesOf(expression) : [expression],
  )
}
