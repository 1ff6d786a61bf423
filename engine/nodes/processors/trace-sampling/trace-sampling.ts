import Type from 'typebox'
import type { JsonObject } from '../../../../schemas/json.ts'
import { TWELFTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import { compileCondition, JUDGING_CODES, uncountedUnits } from '../../../conditions/condition.ts'
import { explainCondition } from '../../../conditions/condition-explanation.ts'
import { ShownValues } from '../../../conditions/shown-values.ts'
import type { Event } from '../../../event/event.ts'
import { drop, type Fate, hold, type LeftOut, type Outcome, pass, settle } from '../../../event/outcome.ts'
import { MINUTE_MS } from '../../../times/duration.ts'
import { Conditional, FieldPath } from '../../contract/config-schema.ts'
import { defineProcessor } from '../../contract/define-processor.ts'
import { keyHash } from '../../contract/values-key.ts'
import { DECIDED, NO_CONDITION, NO_ROOM, NO_ROOT, notFirst } from './reasons.ts'
import { rootTest, traceReader } from './span-fields.ts'
import {
  conditionalsOf,
  HEAD_RATE,
  identityText,
  memberProblems,
  namedRules,
  PARENT_SPAN_ID_FIELD,
  type Rule,
  rulesOf,
  rulesText,
  TRACE_ID_FIELD,
} from './trace-options.ts'
import { TRACE_EXAMPLES } from './trace-sampling-examples.ts'
import { type DecisionLife, NO_PLACE, TRACE_BOUNDS, type TraceBounds, Traces } from './traces.ts'

const MAX_RATE = 100_000
/** Life of decisions: components, section 5.24. */
const DECISION_LIFE = {
  head: { ms: 15 * MINUTE_MS, from: 'last span' },
  tail: { ms: 5 * MINUTE_MS, from: 'decision' },
} as const satisfies Record<string, DecisionLife>
/** Time for which spans wait for their root, from the first span of their trace on. */
const WAIT_MS = 5 * MINUTE_MS
const NO_RULE = -1

/**
 * Trace sampling: keeps or drops whole traces. Rules: components, section 5.24. Our choices:
 *
 * - Spans wait for their root from the first span of their trace on.
 * - A trace that is dropped because its spans are too many, or too large, is decided. One of too many traces is forgotten.
 * - Other rules or rates begin to count anew.
 */
export const traceSampling = defineProcessor({
  type: 'trace-sampling',
  since: TWELFTH_BEHAVIOUR,
  summary:
    'Keep or drop whole traces. Spans that come before the root of their trace wait for it. Other rules or rates begin to count anew.',
  notes: [
    'A decision is remembered until 15 minutes after the last span of its trace with `head`, and for 5 minutes with `tail`. Spans wait 5 minutes for their root; if it does not come, they are dropped, with one error for each trace.',
    `At most ${TRACE_BOUNDS.maxTraces.toLocaleString('en-US')} traces are remembered, and ${TRACE_BOUNDS.maxHeldSpans.toLocaleString('en-US')} spans of a trace and ${TRACE_BOUNDS.maxHeldBytes / (1024 * 1024)} MiB of all spans are held in a partition. A trace with more spans is dropped; beyond the other bounds, the one that has waited longest.`,
  ],
  config: Type.Object(
    {
      sample_type: Type.Enum(['head', 'tail'], {
        description:
          'head: the first span of a trace decides, by counting. tail: the root decides, by conditions',
      }),
      trace_id_field: Type.Optional(
        FieldPath({ default: TRACE_ID_FIELD, description: 'Field with the id of the trace' }),
      ),
      rate: Type.Optional(
        Type.Integer({
          minimum: 2,
          maximum: MAX_RATE,
          description: `head: one of how many traces is kept; ${HEAD_RATE} when absent`,
        }),
      ),
      parent_span_id_field: Type.Optional(
        FieldPath({
          description: `tail: field with the id of the parent span; ${PARENT_SPAN_ID_FIELD} when absent`,
        }),
      ),
      conditionals: Type.Optional(
        Type.Array(
          Type.Object(
            {
              rate: Type.Integer({
                minimum: 1,
                maximum: MAX_RATE,
                description: 'One of how many traces is kept',
              }),
              conditional: Conditional({ description: 'Condition on the root span' }),
              _output_name: Type.Optional(
                Type.String({ description: 'Name of the rule; given by the server when empty' }),
              ),
            },
            { additionalProperties: false },
          ),
          { minItems: 1, description: 'tail: rules in order of trial; the first that is met decides' },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  errors: [...JUDGING_CODES, 'E_TRACE_BAD_TYPE', 'E_TRACE_NO_ROOT'],

  check: memberProblems,
  complete: (stored, { previous }) =>
    stored.sample_type === 'head'
      ? { ...stored, rate: stored.rate ?? HEAD_RATE }
      : {
          ...stored,
          parent_span_id_field: stored.parent_span_id_field ?? PARENT_SPAN_ID_FIELD,
          conditionals: namedRules(rulesOf(stored), previous === undefined ? [] : rulesOf(previous)),
        },

  compile(config, report, meter) {
    const traceOf = traceReader(config)
    const follow = (event: Event, kept: boolean) => (kept ? pass(event) : drop())
    const rules = rulesText(config)
    if (config.sample_type === 'head') {
      const { rate = HEAD_RATE } = config
      return (event, state: Traces, nowMs) => {
        const trace = traceOf(event)
        if (typeof trace !== 'string') return trace
        const kept = state.follow(trace, nowMs, DECISION_LIFE.head)
        if (kept !== undefined) return follow(event, kept)
        const isFirst = state.takeTurn(rules, 0, rate)
        state.decide(trace, isFirst, nowMs)
        state.makeRoom(trace, nowMs)
        return follow(event, isFirst)
      }
    }
    const isRoot = rootTest(config)
    const conditionals = conditionalsOf(config)
    const judges = conditionals.map(({ conditional }) => compileCondition(conditional, report, meter))
    const units = uncountedUnits(conditionals.map(({ conditional }) => conditional))
    return (event, state: Traces, nowMs) => {
      const trace = traceOf(event)
      if (typeof trace !== 'string') return trace
      const known = state.follow(trace, nowMs, DECISION_LIFE.tail)
      if (known !== undefined) return follow(event, known)
      if (!isRoot(event)) {
        state.hold(trace, event, nowMs + WAIT_MS)
        const { spans, isOwnDropped } = state.makeRoom(trace, nowMs)
        return together(isOwnDropped ? 'dropped' : 'held', event, [], leftOut(spans, NO_ROOM))
      }
      if (units > 0) meter.work(units)
      const index = judges.findIndex(meets => meets(event))
      // Nothing changes before all conditions are judged.
      const isKept = index !== NO_RULE && state.takeTurn(rules, index, (conditionals[index] as Rule).rate)
      const waited = state.decide(trace, isKept, nowMs)
      const others = leftOut(state.makeRoom(trace, nowMs).spans, NO_ROOM)
      if (isKept) return together('passed', event, waited, others)
      const reason = index === NO_RULE ? NO_CONDITION : notFirst(conditionals[index] as Rule)
      return together('dropped', event, [], [...leftOut(waited, reason), ...others])
    }
  },

  explain(config) {
    const { sample_type: type, rate = HEAD_RATE } = config
    if (type === 'head')
      return (_event, { wasDecided, lastPlace: place }: Traces) =>
        wasDecided
          ? { rule: 'its trace is dropped, because its first span was not the first of its turn', rate }
          : { rule: 'its trace is not the first of its turn', rate, place }
    const isRoot = rootTest(config)
    const rules = conditionalsOf(config).map(({ conditional, rate: its }) => ({
      rate: its,
      comparisons: explainCondition(conditional),
    }))
    return (event, { wasDecided, lastRule, lastPlace: place }: Traces) => {
      if (wasDecided) return DECIDED
      if (!isRoot(event)) return NO_ROOM
      const shown = new ShownValues()
      const judged = rules.map(({ rate: its, comparisons }) => ({
        rate: its,
        comparisons: comparisons(event, shown),
      }))
      return place === NO_PLACE
        ? { rule: 'it meets no condition', conditionals: judged }
        : {
            rule: 'its trace is not the first of the turn of the condition that it meets',
            place,
            ...judged[lastRule],
          }
    }
  },

  windows: {
    deadlineMs: state => state.deadlineMs,
    release: ({ trace_id_field: field = TRACE_ID_FIELD }) =>
      function* (state, untilMs) {
        const error = { code: 'E_TRACE_NO_ROOT', detail: { field } } as const
        for (const spans of state.endWaiting(untilMs))
          for (const [index, event] of spans.entries())
            yield index === 0 ? { event, reason: NO_ROOT, error } : { event, reason: NO_ROOT }
      },
    open: state => state.held,
    waitsFor: 'the root of its trace, with which it is kept or dropped',
  },

  state: {
    create: (_seed, bounds?: TraceBounds) => new Traces(bounds),
    advance: (state, nowMs, { sample_type: type }) => state.forgetUntil(nowMs - DECISION_LIFE[type].ms),
    snapshot: state => state.snapshot(),
    restore: (bytes, bounds) => Traces.restore(bytes, bounds),
    measure: state => state.measure(),
    // Decisions and spans that wait do not depend on rates and conditions.
    keeps: (before, after) => identityText(before) === identityText(after),
    placement: {
      by: 'key',
      hash: config => {
        const traceOf = traceReader(config)
        return event => {
          const trace = traceOf(event)
          return typeof trace === 'string' ? keyHash(trace) : 0
        }
      },
      split: (state, shares, shareOf) => state.split(shares, shareOf),
      absorb: (state, data) => state.absorb(data),
    },
  },

  configs: [
    { sent: { sample_type: 'head' }, defaults: { trace_id_field: '.trace_id', rate: 10 } },
    {
      sent: { sample_type: 'head', trace_id_field: '.trace', rate: 15 },
    },
    {
      sent: {
        sample_type: 'tail',
        conditionals: [
          {
            rate: 1,
            conditional: {
              expressions: [{ field: '.status', str_operator: 'greater_or_equal', value: 500 }],
            },
            _output_name: 'ab1869cd',
          },
        ],
      },
      defaults: {
        trace_id_field: '.trace_id',
        parent_span_id_field: '.parent_span_id',
        conditionals: [{ conditional: { expressions: [{ negate: false }], logical_operation: 'AND' } }],
      },
    },
  ],

  examples: TRACE_EXAMPLES,
})

/** The event, and held spans that leave or are left out with it. */
function together(
  fate: Fate,
  event: Event,
  released: readonly Event[],
  others: readonly LeftOut[],
): Outcome<never> {
  if (released.length > 0 || others.length > 0) return settle(fate, released, others)
  if (fate === 'held') return hold()
  return fate === 'passed' ? pass(event) : drop()
}

function leftOut(spans: readonly Event[], reason: JsonObject): LeftOut[] {
  return spans.map(event => ({ event, reason }))
}
