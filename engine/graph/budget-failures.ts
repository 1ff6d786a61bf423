import { EXPRESSIONS_TOO_DEAR } from '../event/errors.ts'
import { Event } from '../event/event.ts'
import { type Failed, fail, type Outcome, PassedWithError, Routed, Split } from '../event/outcome.ts'
import type { EventMeter, WorkKind } from '../expressions/cost-meter.ts'
import { PARTS_TOO_DEAR } from '../nodes/contract/option-work.ts'
import type { RecordYield } from './record-yield.ts'

/** Failures of events that exceed their budget. */
export const TOO_DEAR: Readonly<Record<WorkKind, Failed<'E_EXPRESSION_COST'>>> = {
  expressions: fail('E_EXPRESSION_COST', { cause: EXPRESSIONS_TOO_DEAR }),
  options: fail('E_EXPRESSION_COST', {
    cause:
      'the options of the node took more work on one event than is free, and the account has no more saved up: use shorter lists, or send smaller events',
  }),
  size: fail('E_EXPRESSION_COST', {
    cause:
      'the event is so large that the node took more work on it than is free, and the account has no more saved up: send smaller events',
  }),
  copies: fail('E_EXPRESSION_COST', {
    cause:
      'the pipeline made more copies of one event than are free, and the account has no more saved up: branches that are joined again and again double them each time',
  }),
  parts: fail('E_EXPRESSION_COST', { cause: PARTS_TOO_DEAR }),
}

/** Failure of an event that too many nodes send on. */
export const TOO_MANY_MOVES = fail('E_EXPRESSION_COST', {
  cause:
    'more nodes than are free send each event on by its key, and the account has no more saved up: use fewer such nodes, or send smaller events',
})

const MADE_TOO_MUCH = fail('E_EXPRESSION_COST', {
  cause:
    'the pipelines made as many events of one request, or as many bytes, as they may: use smaller requests, or split fewer lists',
})

/**
 * The outcome of an event, unless the nodes of the account make too much of the present record by it.
 *
 * @param made undefined: the record is not bounded
 * @param meter pays for the copies of the event that its parts contain
 * @throws BEYOND_BUDGET
 */
export function within(
  made: RecordYield | undefined,
  outcome: Outcome,
  event: Event,
  meter: EventMeter,
): Outcome {
  if (outcome instanceof Split) return splitWithin(made, outcome, meter)
  if (made === undefined) return outcome
  let changed: Event
  if (outcome instanceof Event) changed = outcome
  else if (outcome instanceof PassedWithError || outcome instanceof Routed) changed = outcome.event
  else return outcome
  if (changed === event || made.takeGrowth(changed.bytes - event.bytes)) return outcome
  return MADE_TOO_MUCH
}

function splitWithin(made: RecordYield | undefined, outcome: Split, meter: EventMeter): Outcome {
  const { count, bytes, copyUnits } = outcome
  const { owesCopies } = meter
  if (!owesCopies && copyUnits > 0) meter.work(copyUnits)
  if (made !== undefined && !made.hasRoomFor(count, bytes)) return MADE_TOO_MUCH
  // An event that fails owes nothing: its parts are not made.
  if (owesCopies && copyUnits > 0) meter.copies(copyUnits)
  made?.takeParts(count, bytes)
  return outcome
}
