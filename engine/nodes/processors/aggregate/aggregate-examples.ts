import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { fail, Gathered, hold, merge } from '../../../event/outcome.ts'
import { TOO_MANY_STEPS } from '../../../scripts/script-run.ts'
import { MISFIT, OTHER_CLASS } from '../../../windows/metric-form.ts'
import type { AggregateBounds } from '../../../windows/open-aggregates.ts'
import type { Example } from '../../contract/define-processor.ts'

const MINUTE = { type: 'tumbling', interval: 60 }
const SECOND_60 = { timestamp: '1970-01-01T00:01:00Z' }
const SECOND_75 = { timestamp: '1970-01-01T00:01:15Z' }
const SECOND_120 = { timestamp: '1970-01-01T00:02:00Z' }
const SCRIPT = `function visits(total, event) {
  if (event.pages == 'endless') { let list = [1]; for (const each of list) { list.push(each) } }
  if (event.pages == null) { return null }
  total.pages = total.pages + ', ' + event.pages
  return total
}
`

/** Worked examples of aggregates. */
export const AGGREGATE_EXAMPLES: readonly Example[] = [
  {
    title: 'the loaves of each oven in a minute; the event of another minute begins another window',
    config: { window: MINUTE, evaluate: { operation: 'SUM' }, group_by: ['.name', '.tags.oven'] },
    steps: [
      { event: loaves('4', 12), envelope: SECOND_60, atMs: 60_000, outcome: hold() },
      { event: loaves('4', 9), envelope: SECOND_75, atMs: 75_000, outcome: merge() },
      { event: loaves('7', 1), envelope: SECOND_75, atMs: 80_000, outcome: hold() },
      {
        event: loaves('4', 2),
        envelope: SECOND_120,
        atMs: 120_000,
        released: [loaves('4', 21), loaves('7', 1)],
        outcome: hold(),
      },
    ],
  },
  {
    title:
      'windows are of event time: late events join the oldest open window, and a time far ahead counts as the log time',
    config: {
      window: MINUTE,
      evaluate: { operation: 'MAX' },
      group_by: [],
      event_timestamp: '.at',
    },
    steps: [
      { event: { ...gauge(5), at: 70_000 }, atMs: 70_000, outcome: hold() },
      { event: { ...gauge(7), at: 10_000 }, atMs: 70_000, outcome: merge() },
      { event: { ...gauge(6), at: '1970-01-01T00:02:00Z' }, atMs: 70_000, outcome: hold() },
      { event: { ...gauge(9), at: 130_001 }, atMs: 70_000, outcome: merge() },
      {
        event: { ...gauge(1), at: 120_000 },
        atMs: 120_000,
        released: [{ ...gauge(9), at: 70_000 }],
        outcome: merge(),
      },
    ],
  },
  {
    title:
      'sliding windows overlap: an event is merged into all that contain it, and opens one at most every few seconds',
    config: {
      window: { type: 'sliding', interval: 10, window_min: 3 },
      evaluate: { operation: 'AVG' },
      group_by: [],
      event_timestamp: '.at',
    },
    steps: [
      { event: { ...gauge(1), at: 0 }, atMs: 0, outcome: hold() },
      { event: { ...gauge(2), at: 2_000 }, atMs: 2_000, outcome: merge() },
      {
        event: { ...gauge(6), at: 4_000 },
        atMs: 4_000,
        outcome: new Gathered<JsonValue>(false, [], undefined, 1),
      },
      {
        event: { ...gauge(3), at: 5_000 },
        atMs: 5_000,
        outcome: new Gathered<JsonValue>(true, [], undefined, 1),
      },
      {
        event: { ...gauge(0), at: 10_000 },
        atMs: 10_000,
        released: [{ ...gauge(3), at: 0 }],
        outcome: new Gathered<JsonValue>(false, [], undefined, 1),
      },
    ],
  },
  {
    title:
      'a window ends early when the condition holds, also by the change since the last window of the group',
    config: {
      window: MINUTE,
      evaluate: { operation: 'DEFAULT' },
      conditional: {
        logical_operation: 'OR',
        expressions: [
          { field: '.value.value', str_operator: 'greater', value: 100 },
          { field: '.value.value', str_operator: 'percent_change_greater_or_equal', value: 50 },
        ],
      },
      event_timestamp: '.at',
    },
    steps: [
      { event: loaves('4', 60), atMs: 0, outcome: hold() },
      { event: loaves('4', 50), atMs: 1, outcome: merge([loaves('4', 110)]) },
      { event: loaves('4', 100), atMs: 2, outcome: hold() },
      { event: loaves('7', 100), atMs: 3, outcome: hold() },
      {
        event: loaves('4', 70),
        atMs: 60_000,
        released: [loaves('4', 100), loaves('7', 100)],
        outcome: hold(),
      },
      { event: loaves('4', 80), atMs: 60_001, outcome: merge([loaves('4', 150)]) },
    ],
  },
  {
    title:
      'absolute values replace each other by default, and sets, histograms, distributions and summaries are combined',
    config: { window: MINUTE, evaluate: { operation: 'DEFAULT' }, group_by: ['.name'] },
    steps: [
      { event: gauge(5), outcome: hold() },
      { event: gauge(3), outcome: merge() },
      { event: metric('s', 'set', { values: ['a', 'b'] }), outcome: hold() },
      { event: metric('s', 'set', { values: ['c', 'b'] }), outcome: merge() },
      {
        event: metric('h', 'histogram', { buckets: [{ upper_limit: 1, count: 2 }], count: 2, sum: 1.5 }),
        outcome: hold(),
      },
      {
        event: metric('h', 'histogram', { buckets: [{ upper_limit: 1, count: 1 }], count: 1, sum: 0.5 }),
        outcome: merge(),
      },
      {
        event: metric('h', 'histogram', { buckets: [{ upper_limit: 2, count: 1 }], count: 1, sum: 0.5 }),
        outcome: fail('E_METRIC_BAD_TYPE', MISFIT),
        errors: [['E_METRIC_BAD_TYPE', '.value']],
      },
      {
        event: metric('d', 'distribution', { samples: [{ value: 1, rate: 2 }], statistic: 'summary' }),
        outcome: hold(),
      },
      {
        event: metric('d', 'distribution', { samples: [{ value: 3, rate: 1 }], statistic: 'summary' }),
        outcome: merge(),
      },
      {
        event: metric('q', 'summary', { quantiles: [{ quantile: 0.5, value: 2 }], count: 4, sum: 9 }),
        outcome: hold(),
      },
      {
        event: metric('q', 'summary', { quantiles: [{ quantile: 0.5, value: 3 }], count: 1, sum: 3 }),
        outcome: merge(),
      },
      {
        event: gauge(0),
        atMs: 1_930_000_000_000,
        released: [
          gauge(3),
          metric('s', 'set', { values: ['a', 'b', 'c'] }),
          metric('h', 'histogram', { buckets: [{ upper_limit: 1, count: 3 }], count: 3, sum: 2 }),
          metric('d', 'distribution', {
            samples: [
              { value: 1, rate: 2 },
              { value: 3, rate: 1 },
            ],
            statistic: 'summary',
          }),
          metric('q', 'summary', { quantiles: [{ quantile: 0.5, value: 3 }], count: 5, sum: 12 }),
        ],
        outcome: hold(),
      },
    ],
  },
  {
    title: 'the values that all sets have in common',
    config: { window: MINUTE, evaluate: { operation: 'SET_INTERSECTION' } },
    steps: [
      { event: metric('s', 'set', { values: ['a', 'b', 'c'] }), outcome: hold() },
      { event: metric('s', 'set', { values: ['c', 'a'] }), outcome: merge() },
      {
        event: gauge(1),
        atMs: 1_930_000_000_000,
        released: [metric('s', 'set', { values: ['a', 'c'] })],
        outcome: fail('E_METRIC_BAD_TYPE', OTHER_CLASS),
        errors: [['E_METRIC_BAD_TYPE', '.value.type']],
      },
    ],
  },
  {
    title:
      'an event that is not a metric fails, and so does a later one of another class or kind; the window goes on',
    config: { window: MINUTE, evaluate: { operation: 'DEFAULT' }, group_by: [] },
    steps: [
      {
        event: 'a text',
        outcome: fail('E_METRIC_BAD_TYPE', { found: 'string' }),
        errors: [['E_METRIC_BAD_TYPE', null]],
      },
      {
        event: { text: 'no metric' },
        outcome: fail('E_METRIC_BAD_TYPE', { field: '.name', found: 'missing' }),
        errors: [['E_METRIC_BAD_TYPE', '.name']],
      },
      { event: loaves('4', 1), outcome: hold() },
      {
        event: gauge(2),
        outcome: fail('E_METRIC_BAD_TYPE', MISFIT),
        errors: [['E_METRIC_BAD_TYPE', '.value']],
      },
      {
        event: { ...loaves('4', 2), kind: 'absolute' },
        outcome: fail('E_METRIC_BAD_TYPE', MISFIT),
        errors: [['E_METRIC_BAD_TYPE', '.value']],
      },
      {
        event: { ...loaves('4', 2), value: { type: 'counter', value: '2' } },
        outcome: fail('E_METRIC_BAD_TYPE', { field: '.value.value', found: 'string' }),
        errors: [['E_METRIC_BAD_TYPE', '.value.value']],
      },
      { event: loaves('7', 3), atMs: 1_930_000_000_000, released: [loaves('4', 1)], outcome: hold() },
    ],
  },
  {
    title:
      'a script merges any events, null leaves the result as it is, and an event on which it fails is not merged',
    config: { window: MINUTE, evaluate: { operation: 'CUSTOM', script: SCRIPT }, group_by: ['.user'] },
    steps: [
      { event: { user: 'ann', pages: 'a' }, outcome: hold() },
      { event: { user: 'ann', pages: 'b' }, outcome: merge() },
      { event: { user: 'ann' }, outcome: merge() },
      {
        event: { user: 'ann', pages: 'endless' },
        outcome: fail('E_SCRIPT_FAILED', { cause: TOO_MANY_STEPS.message }),
        errors: [['E_SCRIPT_FAILED', null]],
      },
      {
        event: { user: 'bo' },
        atMs: 1_930_000_000_000,
        released: [{ user: 'ann', pages: 'a, b' }],
        outcome: hold(),
      },
    ],
  },
  {
    title: 'where two groups may be open, a third one fails, and the others go on',
    config: { window: MINUTE, evaluate: { operation: 'SUM' } },
    bounds: {
      maxGroups: 2,
      maxGroupWindows: 10,
      maxWindowBytes: 10_000,
      maxBytes: 10_000,
    } satisfies AggregateBounds,
    steps: [
      { event: loaves('4', 1), outcome: hold() },
      { event: loaves('5', 1), outcome: hold() },
      {
        event: loaves('6', 1),
        outcome: fail('E_CARDINALITY_LIMIT'),
        errors: [['E_CARDINALITY_LIMIT', null]],
      },
      { event: loaves('5', 2), outcome: merge() },
    ],
  },
  {
    title: 'a comparison that fails is false, and its error is recorded',
    config: {
      window: MINUTE,
      evaluate: { operation: 'SUM' },
      conditional: {
        logical_operation: 'OR',
        expressions: [
          { field: '.missing', str_operator: 'equal', value: 1 },
          { field: '.name', str_operator: 'greater', value: 1 },
          { field: '.tags', str_operator: 'contains', value: 'x' },
          { field: '.name', str_operator: 'is_ip_in_cidr_range', value: '10.0.0.0/8' },
          { field: '.name', str_operator: 'value_change_greater', value: 1 },
        ],
      },
    },
    steps: [
      {
        event: loaves('4', 1),
        outcome: hold(),
        errors: [
          ['E_NOT_FOUND', '.missing'],
          ['E_COMPARE_COERCION_FAILED', '.name'],
          ['E_COMPARE_BAD_TYPE', '.tags'],
          ['E_COMPARE_BAD_CIDR', '.name'],
        ],
      },
    ],
  },
]

function metric(name: string, type: string, value: JsonValue, kind = 'absolute'): JsonObject {
  return { name, kind, value: { type, value } }
}

function gauge(value: number): JsonObject {
  return metric('queue', 'gauge', value)
}

function loaves(oven: string, value: number): JsonObject {
  return { name: 'loaves', kind: 'incremental', tags: { oven }, value: { type: 'counter', value } }
}
