import type { ErrorCode } from '../../engine/event/errors.ts'
import { Event } from '../../engine/event/event.ts'
import { Failed, PassedWithError } from '../../engine/event/outcome.ts'
import { BEYOND_BUDGET, EventMeter, UNMETERED } from '../../engine/expressions/cost-meter.ts'
import { ExpressionAllowance, ExpressionBudget } from '../../engine/expressions/expression-budget.ts'
import { parseExactJson } from '../../engine/json/exact-json.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import type { Processor } from '../../engine/nodes/contract/define-processor.ts'
import { checkStoredOptions } from '../../engine/nodes/contract/node-declaration.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'

const TIME = '2031-03-09T08:15:30.250Z'

/** A processor without state, on one event at a time. */
export function running(processor: Processor) {
  const stored = (config: object): JsonObject => {
    const checked = checkStoredOptions(processor, config as JsonObject)
    if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
    return checked.stored
  }
  const compiled = (config: object, message: JsonValue) => ({
    process: processor.compile(stored(config), () => {}, UNMETERED),
    event: Event.of(message, {}, TIME),
  })
  return {
    compiled,

    /** Message of the event that passed. @param message its JSON text: the result is a text, too */
    after(config: object, message: JsonValue): unknown {
      const isText = typeof message === 'string'
      const { process, event } = compiled(config, isText ? parseExactJson(message) : message)
      const outcome = process(event, undefined, 0)
      const passed = (outcome instanceof PassedWithError ? outcome.event : outcome) as Event
      return isText && typeof passed.message !== 'string' ? jsonText(passed.message) : passed.message
    },

    /** Errors on an event, as code and field. */
    errors(config: object, message: JsonValue): (readonly [ErrorCode, string | null])[] {
      const reported: (readonly [ErrorCode, string | null])[] = []
      const report = (code: ErrorCode, { field = null }: { readonly field?: string | null }) =>
        reported.push([code, field])
      const process = processor.compile(stored(config), report, UNMETERED)
      const outcome = process(Event.of(message, {}, TIME), undefined, 0)
      if (outcome instanceof Failed || outcome instanceof PassedWithError)
        reported.push([outcome.code, outcome.detail.field ?? null])
      return reported
    },

    /** Units that an event costs, without those that are not counted. */
    cost(config: object, message: JsonValue): number | 'too much' {
      const meter = countingMeter()
      const process = processor.compile(stored(config), () => {}, meter)
      try {
        process(Event.of(message, {}, TIME), undefined, 0)
      } catch (error) {
        if (error === BEYOND_BUDGET) return 'too much'
        throw error
      }
      return meter.spent > 1_024 ? meter.spent : 0
    },
  }
}

/** A meter that counts all work; each event may cost the free units. */
function countingMeter(): EventMeter {
  const budget = new ExpressionBudget()
  budget.takeSaved(budget.saved)
  const allowance = new ExpressionAllowance(budget)
  allowance.countsOptions = true
  allowance.begin(0, Number.POSITIVE_INFINITY)
  const meter = new EventMeter()
  meter.open(allowance, undefined)
  return meter
}
