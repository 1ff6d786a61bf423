import type { JsonObject } from '../../schemas/json.ts'
import { errorMessage } from '../event/errors.ts'
import type { Event } from '../event/event.ts'
import { fieldAt } from '../event/field-path.ts'
import { BEYOND_BUDGET, freeMeter, NO_NUMBER } from '../expressions/cost-meter.ts'
import { type Condition, compileLeaf, type Leaf, type Predicate } from './condition.ts'

const SILENT = () => {}

/**
 * Shows how each comparison of a conditional turns out for an event, in order, including those that evaluation would skip.
 * A comparison whose cost exceeds the free budget says so instead.
 */
export function explainCondition(condition: Condition | JsonObject): (event: Event) => JsonObject[] {
  const meter = freeMeter()
  const isMet = (meets: Predicate, event: Event): JsonObject => {
    try {
      return { met: meets(event) }
    } catch (error) {
      if (error !== BEYOND_BUDGET) throw error
      return { met: null, error: errorMessage('E_EXPRESSION_COST', {}) }
    }
  }
  const comparisons = leavesOf(condition as Condition).map(leaf => {
    const field = fieldAt(leaf.field)
    const meets = compileLeaf(leaf, SILENT, meter)
    return (event: Event): JsonObject => {
      const actual = field.read(event)
      return {
        ...(leaf as unknown as JsonObject),
        ...(actual === undefined ? {} : { actual }),
        ...isMet(meets, event),
      }
    }
  })
  return event => {
    meter.begin(NO_NUMBER)
    return comparisons.map(comparison => comparison(event))
  }
}

function leavesOf({ expressions }: Condition): Leaf[] {
  return expressions.flatMap(expression =>
    'expressions' in expression ? leavesOf(expression) : [expression],
  )
}
