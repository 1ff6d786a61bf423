import Type from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import { TWELFTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import { type Condition, JUDGING_CODES } from '../../../conditions/condition.ts'
import type { Event } from '../../../event/event.ts'
import { Failed, Gathered, merge } from '../../../event/outcome.ts'
import type { Problem } from '../../../event/problem.ts'
import { UNMETERED } from '../../../expressions/cost-meter.ts'
import { canonicalJson } from '../../../json/canonical-json.ts'
import { compileScript, type Script } from '../../../scripts/compile-script.ts'
import { scriptRunProblem } from '../../../scripts/script-run-problem.ts'
import {
  Aggregation,
  type AggregationOptions,
  METRIC_FIELDS,
  type MergeScript,
} from '../../../windows/aggregation.ts'
import type { Operation } from '../../../windows/metric-form.ts'
import { AGGREGATE_BOUNDS, type AggregateBounds, OpenAggregates } from '../../../windows/open-aggregates.ts'
import type { WindowOptions } from '../../../windows/window-choice.ts'
import { Conditional, FieldPath, ScriptText } from '../../contract/config-schema.ts'
import { type CostMeter, defineProcessor } from '../../contract/define-processor.ts'
import type { StateVariable } from '../../contract/pipeline-variables.ts'
import { keyHash, valuesKey } from '../../contract/values-key.ts'
import { callScript } from '../../options/script-call.ts'
import { AGGREGATE_EXAMPLES } from './aggregate-examples.ts'

/** The outcome of nearly all events. */
const MERGED = merge<Event>()
const MAX_INTERVAL_SECONDS = 90_000 // 25 hours
const MAX_SCRIPT_LENGTH = 5000
const MAX_PATH_LENGTH = 200
const CUSTOM = 'CUSTOM'

interface Options {
  readonly window: WindowOptions
  readonly evaluate: { readonly operation: Operation; readonly script?: unknown }
  readonly conditional?: unknown
  readonly group_by?: readonly string[]
  readonly event_timestamp?: string
}

/**
 * Aggregate: the events of a group within a window of event time become one. Rules: components, section 5.1. Our choices:
 *
 * - A later event of another kind does not fit where the kind decides.
 * - The numbers of the last emitted window of a group are retained only where a change operator compares with them.
 * - A window that opens after its end is emitted right after the events of its record.
 */
export const aggregate = defineProcessor({
  type: 'aggregate',
  since: TWELFTH_BEHAVIOUR,
  aliases: ['aggregate-v2'],
  summary:
    'Roll many events of a group into one per time window. Other windows, operations or groups end the open windows.',
  notes: [
    'A tumbling window begins at a multiple of `interval` since 1970, a sliding one at the time of the event that opens it. An event that is older than all open windows of its group is merged into the oldest. A time more than `interval` ahead of the log time counts as the log time.',
    'A window leaves when the log time reaches its end, or early when `conditional` holds after an event. One that is opened after its end leaves right after the events of its record. The timestamp of the result is the log time at which it leaves.',
    'The result is the first event of the window with another `.value.value`. By default, incremental numbers are added up, and the latest absolute number counts. Sets are united: each value once, in the order in which they came. Samples of distributions are appended, and histograms with equal limits added up. A summary has the latest quantiles, and the sums of `count` and `sum`.',
    'Its metadata is that of the first event; members that only later events have are added, one level deep. `metadata.aggregate` contains `start_timestamp`, `end_timestamp` and `flush_timestamp` in UNIX milliseconds, and `event_count`. A `flush_timestamp` before `end_timestamp` marks a window that left early.',
    'The script of `CUSTOM` is called as `f(accumulated, event, metadata, annotations)`, from the second event of a window on. Its value becomes the message of the window; null changes nothing. The language is that of [scripts](scripts.md).',
    'Change operators compare with the last window of the group that left. It is forgotten when the group has no event for twice the `interval`.',
    `At most ${AGGREGATE_BOUNDS.maxGroups.toLocaleString('en-US')} groups; an event of another one fails. At most ${AGGREGATE_BOUNDS.maxGroupWindows} open windows of a group, ${AGGREGATE_BOUNDS.maxWindowBytes / 1024} KiB in a window, and ${AGGREGATE_BOUNDS.maxBytes / (1024 * 1024)} MiB in all windows of the node in a partition; beyond that, the oldest windows leave early.`,
  ],
  config: Type.Object(
    {
      window: Type.Object(
        {
          type: Type.Enum(['tumbling', 'sliding'], {
            description: 'tumbling: one after the other. sliding: overlapping, opened by events',
          }),
          interval: Type.Integer({
            minimum: 1,
            maximum: MAX_INTERVAL_SECONDS,
            description: 'Length of a window, in seconds',
          }),
          window_min: Type.Optional(
            Type.Integer({
              minimum: 0,
              default: 5,
              description: 'Shortest distance between the starts of two sliding windows, in seconds',
            }),
          ),
        },
        { additionalProperties: false, description: 'Windows of time' },
      ),
      evaluate: Type.Object(
        {
          operation: Type.Enum(
            ['DEFAULT', 'SUM', 'MIN', 'MAX', 'AVG', 'SET_INTERSECTION', 'DIST_CONCAT', CUSTOM],
            { description: 'Rule by which an event is merged into the window' },
          ),
          script: Type.Optional(
            ScriptText({
              maxLength: MAX_SCRIPT_LENGTH,
              description:
                'For CUSTOM: one JavaScript function of accumulator, event, metadata and annotations',
            }),
          ),
        },
        { additionalProperties: false, description: 'Function to compute' },
      ),
      conditional: Type.Optional(
        Conditional({ change: 'both', description: 'Condition on the window that emits it early' }),
      ),
      group_by: Type.Optional(
        Type.Array(FieldPath({ description: 'Field such as .tags.oven' }), {
          description: 'Fields whose values make a group; name, namespace and tags of a metric when absent',
        }),
      ),
      event_timestamp: Type.Optional(
        FieldPath({
          maxLength: MAX_PATH_LENGTH,
          default: 'timestamp',
          description: 'Field with the time of the event',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  errors: [...JUDGING_CODES, 'E_METRIC_BAD_TYPE', 'E_CARDINALITY_LIMIT', 'E_SCRIPT_FAILED'],

  check: scriptProblems,

  *runProblems({ evaluate }: { readonly evaluate?: { readonly script?: unknown } }) {
    // The options of a node that is being edited may be incomplete.
    const script = evaluate?.script
    const problem = typeof script === 'string' ? yield* scriptRunProblem(script) : undefined
    if (problem === undefined) return
    const { message, line, column } = problem
    const text = `script cannot run: ${message} (line ${line}, column ${column})`
    yield { instancePath: '/evaluate/script', message: text }
  },

  compile(config, report, meter, { stateVariable } = {}) {
    const aggregation = new Aggregation(rulesOf(config), {
      report,
      meter,
      script: mergeScript(config, meter, stateVariable),
    })
    return (event, state: OpenAggregates, nowMs) => {
      const added = aggregation.add(state, event, nowMs)
      if (added instanceof Failed) return added
      const { isFirst, merged, emitted, own } = added
      if (emitted.length === 0 && merged === 1 && !isFirst) return MERGED
      const released = emitted.map(each => each.event)
      return new Gathered(!isFirst, released, own, merged - (isFirst ? 0 : 1))
    }
  },

  windows: {
    deadlineMs: state => state.deadlineMs,
    release(config) {
      // Ending a window judges and runs nothing.
      const aggregation = new Aggregation(rulesOf(config), { report: () => {}, meter: UNMETERED })
      return function* (state, untilMs, nowMs) {
        for (const { event, group, merged } of aggregation.emitDue(state, untilMs, nowMs))
          yield { event, group, events: merged }
      }
    },
    open: state => state.count,
  },

  state: {
    create: (_seed, bounds?: AggregateBounds) => new OpenAggregates(bounds),
    advance: (state, nowMs) => state.forgetSilent(nowMs),
    snapshot: state => state.snapshot(),
    restore: (bytes, bounds) => OpenAggregates.restore(bytes, bounds),
    measure: state => state.measure(),
    // Open windows were merged by the previous rules. The choice of windows for later events, and the condition, may change.
    keeps: (before, after) => mergingText(before) === mergingText(after),
    placement: {
      by: 'key',
      hash: ({ group_by: groupBy = METRIC_FIELDS }, meter) => {
        const groupOf = valuesKey(groupBy, meter)
        return event => keyHash(groupOf(event))
      },
      split: (state, shares, shareOf) => state.split(shares, shareOf),
      absorb: (state, data) => state.absorb(data),
    },
  },

  configs: [
    {
      sent: { window: { type: 'sliding', interval: 10, window_min: 0 }, evaluate: { operation: 'SUM' } },
      defaults: { event_timestamp: 'timestamp' },
    },
    {
      sent: {
        window: { type: 'tumbling', interval: 3600 },
        evaluate: { operation: CUSTOM, script: 'function newer(accumulator, event) { return event }' },
        group_by: ['.name', '.tags.oven'],
        conditional: {
          expressions: [{ field: '.value.value', str_operator: 'percent_change_greater', value: 20 }],
        },
        event_timestamp: '.time',
      },
      defaults: {
        window: { window_min: 5 },
        conditional: { expressions: [{ negate: false }], logical_operation: 'AND' },
      },
    },
  ],

  examples: AGGREGATE_EXAMPLES,
})

function rulesOf({ window, evaluate, conditional, ...others }: Options): AggregationOptions {
  const { group_by: groupBy, event_timestamp: time } = others
  return {
    window,
    operation: evaluate.operation,
    ...(groupBy !== undefined && { group_by: groupBy }),
    ...(conditional !== undefined && { conditional: conditional as Condition }),
    ...(time !== undefined && { event_timestamp: time }),
  }
}

/** The script of the operation `CUSTOM`. It is compiled when it is first needed. */
function mergeScript(
  { evaluate }: Options,
  meter: CostMeter,
  stateVariable: StateVariable | undefined,
): MergeScript | undefined {
  const { script: text } = evaluate
  if (evaluate.operation !== CUSTOM || typeof text !== 'string') return undefined
  let script: Script | undefined
  return (accumulated, event, nowMs) => {
    script ??= compileScript(text)
    const values = [
      () => accumulated,
      () => event.message,
      () => event.metadata,
      () => event.annotations ?? null,
    ]
    const valuesFor = (count: number) => values.slice(0, count).map(read => read())
    const result = callScript(script, valuesFor, nowMs, meter, stateVariable)
    return result instanceof Failed ? result : result.value
  }
}

/** Text of the options by which open windows were merged. */
function mergingText({ window, evaluate, group_by: groupBy = METRIC_FIELDS }: Options): string {
  const { operation, script = null } = evaluate
  return canonicalJson([window.type, window.interval, operation, script as JsonValue, [...groupBy]])
}

function scriptProblems({ evaluate }: JsonObject): Problem[] {
  if (!isJsonObject(evaluate)) return []
  const { operation, script } = evaluate
  if (operation === CUSTOM && script === undefined)
    return [{ instancePath: '/evaluate', message: "must have required property 'script'" }]
  if (typeof operation === 'string' && operation !== CUSTOM && script !== undefined)
    return [{ instancePath: '/evaluate/script', message: `must NOT be sent unless operation is ${CUSTOM}` }]
  return []
}
