import type { JsonObject } from '../../schemas/json.ts'
import { EXPRESSIONS_TOO_DEAR, errorMessage } from '../event/errors.ts'
import type { Event } from '../event/event.ts'
import { fieldAt } from '../event/field-path.ts'
import { BEYOND_BUDGET, freeMeter, NO_NUMBER } from '../expressions/cost-meter.ts'
import { type Condition, compileLeaf, type Leaf, type Predicate } from './condition.ts'
import { ShownValues } from './shown-values.ts'

const SILENT = () => {}

/**
 * Shows how each comparison of a conditional turns out for an event, in order, including those that evaluation would skip.
 * A comparison whose cost exceeds the free budget says so instead. Values that are too long to be repeated are cut.
 *
 * @returns a function whose second argument bounds the values of all conditionals of one explanation
 */
export function explainCondition(
  condition: Condition | JsonObject,
): (event: Event, shown?: ShownValues) => JsonObject[] {
  const meter = freeMeter()
  const isMet = (meets: Predicate, event: Event): JsonObject => {
    try {
      return { met: meets(event) }
    } catch (error) {
      if (error !== BEYOND_BUDGET) throw error
      return { met: null, error: errorMessage('E_EXPRESSION_COST', { cause: EXPRESSIONS_TOO_DEAR }) }
    }
  }
  const comparisons = leavesOf(condition as Condition).map(leaf => {
    const field = fieldAt(leaf.field)
    const meets = compileLeaf(leaf, SILENT, meter)
    return (event: Event, shown: ShownValues): JsonObject => ({
      // Options are JSON.
      ...(leaf as unknown as JsonObject),
      ...shown.members(field.read(event)),
      ...isMet(meets, event),
    })
  })
  return (event, shown = new ShownValues()) => {
    meter.begin(NO_NUMBER)
    return comparisons.map(comparison => comparison(event, shown))
  }
}

function leavesOf({ expressions }: Condition): Leaf[] {
  return expressions.flatMap(expression =>
    'expressions' in expression ? leavesOf(expression) : [expression],
  )
}
