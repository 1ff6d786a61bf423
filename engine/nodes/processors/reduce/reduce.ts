import Type from 'typebox'
import { isJsonObject } from '../../../../schemas/json.ts'
import { compileCondition, JUDGING_CODES } from '../../../conditions/condition.ts'
import type { Event } from '../../../event/event.ts'
import { hold, merge } from '../../../event/outcome.ts'
import { canonicalJson } from '../../../json/canonical-json.ts'
import { Conditional, FieldPath } from '../../contract/config-schema.ts'
import { defineProcessor } from '../../contract/define-processor.ts'
import { keyHash, valuesKey } from '../../contract/values-key.ts'
import { formatProblem } from '../../options/time-format-option.ts'
import { heldEvent, releasedEvent, releasedEvents } from './held-event.ts'
import { type MergeOptions, MergeRules } from './merge-rules.ts'
import { type Reduction, Reductions } from './reductions.ts'

const DEFAULT_DURATION_MS = 30_000
const MAX_DURATION_MS = 7_200_000 // Two hours.
const MAX_FIELD_LENGTH = 200
/** Number of ending windows whose first events are read together. */
const READ_TOGETHER = 64
/** Components, section 5.18: beyond this size, held events are released early. */
const MAX_REDUCTION_BYTES = 100 * 1024
const MAX_NODE_BYTES = 1024 * 1024
const STRATEGIES = [
  ...(['array', 'shortest_array', 'longest_array', 'flat_unique'] as const),
  ...(['concat', 'concat_newline', 'concat_raw', 'discard', 'retain', 'min', 'max', 'sum'] as const),
]

/**
 * Reduce: merges the events of a group within a time span into one. Rules: components, section 5.18. The member
 * `timestamp` of ingested lines, their sent time, is that of the first, like the time of the envelope; other numbers are
 * added up.
 */
export const reduce = defineProcessor({
  type: 'reduce',
  since: 3,
  summary:
    'Merge the events of a group within a time span into one. By default, numbers are added up, and the first of other values is kept; a strategy can change this. The sent time of a line is that of the first.',
  config: Type.Object(
    {
      duration_ms: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_DURATION_MS,
          default: DEFAULT_DURATION_MS,
          description: 'Span from the first event on, in milliseconds',
        }),
      ),
      max_events: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Number of events after which the result is emitted' }),
      ),
      group_by: Type.Optional(
        Type.Array(FieldPath({ description: 'Field such as .request.id' }), {
          description: 'Fields whose values make a group; all events are one group when absent',
        }),
      ),
      date_formats: Type.Optional(
        Type.Array(
          Type.Object(
            {
              field: rootField('Field that holds a date'),
              format: Type.String({ minLength: 1, maxLength: 200, description: 'strftime text' }),
            },
            { additionalProperties: false },
          ),
          { minItems: 1, description: 'Fields to be read as dates: the first and the last are kept' },
        ),
      ),
      merge_strategies: Type.Optional(
        Type.Array(
          Type.Object(
            {
              field: rootField('Field to merge'),
              strategy: Type.Enum(STRATEGIES, { description: 'How its values are merged' }),
            },
            { additionalProperties: false },
          ),
          { minItems: 1, description: 'How fields are merged that are not merged by default' },
        ),
      ),
      flush_condition: Type.Optional(
        Type.Object(
          {
            when: Type.Enum(['starts_when', 'ends_when'], {
              description: 'Whether an event that meets the condition is the first or the last of its result',
            }),
            conditional: Conditional({ description: 'Condition on the incoming event' }),
          },
          { additionalProperties: false, description: 'Conditions that end a result early' },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  errors: JUDGING_CODES,

  runProblems: ({ date_formats: formats = [] }) =>
    formats.flatMap(({ format }, index) => {
      const message = formatProblem(format)
      return message === undefined ? [] : [{ instancePath: `/date_formats/${index}/format`, message }]
    }),

  compile(config, report, meter) {
    const rules = new MergeRules(config)
    const groupOf = valuesKey(config.group_by ?? [], meter)
    const {
      duration_ms: durationMs = DEFAULT_DURATION_MS,
      max_events: maxEvents = Number.POSITIVE_INFINITY,
      flush_condition: flush,
    } = config
    const meets = flush === undefined ? undefined : compileCondition(flush.conditional, report, meter)
    return (event, state: Reductions, nowMs) => {
      const group = groupOf(event)
      const open = state.find(group)
      const isBorder = meets?.(event) ?? false
      const starts = isBorder && flush?.when === 'starts_when'
      const ends = !starts && isBorder && flush?.when === 'ends_when'
      const ended: Reduction[] = []
      const end = (reduction: Reduction) => {
        state.close(reduction)
        ended.push(reduction)
      }
      if (starts && open !== undefined) end(open)
      const merged = !starts && open !== undefined
      const reduction = merged ? open : begun(group, event, nowMs + durationMs)
      const bytes = rules.add(reduction, event, nowMs)
      if (merged) state.grow(reduction, bytes)
      else state.open(reduction)
      const isFull = reduction.count >= maxEvents || reduction.bytes > MAX_REDUCTION_BYTES
      if (ends || isFull) end(reduction)
      while (state.bytes > MAX_NODE_BYTES) end(state.oldest as Reduction)
      const released = ended.map(each => resultOf(each, rules))
      const own = released[ended.indexOf(reduction)]
      return merged ? merge(released, own) : hold(released, own)
    }
  },

  windows: {
    deadlineMs: state => state.deadlineMs,
    release(config) {
      const rules = new MergeRules(config)
      return function* (state, untilMs) {
        const due = state.endingBy(untilMs)
        for (let from = 0; from < due.length; from += READ_TOGETHER) {
          const together = due.slice(from, from + READ_TOGETHER)
          const firsts = releasedEvents(together.map(({ first }) => first))
          for (const [index, reduction] of together.entries()) {
            state.close(reduction)
            const event = mergedInto(firsts[index] as Event, reduction, rules)
            yield { event, group: reduction.group, events: reduction.count }
          }
        }
      }
    },
    open: state => state.count,
  },

  state: {
    create: () => new Reductions(),
    advance: () => true,
    snapshot: state => state.snapshot(),
    restore: bytes => Reductions.restore(bytes),
    measure: state => ({ groups: state.count, bytes: state.bytes }),
    // Open windows were merged by the previous rules; only the condition that ends them may change.
    keeps: (before, after) => rulesText(before) === rulesText(after),
    placement: {
      by: 'key',
      hash: (config, meter) => {
        const groupOf = valuesKey(config.group_by ?? [], meter)
        return event => keyHash(groupOf(event))
      },
      split: (state, shares, shareOf) => state.split(shares, shareOf),
      absorb: (state, data) => state.absorb(data),
    },
  },

  configs: [
    { sent: {}, defaults: { duration_ms: 30_000 } },
    {
      sent: {
        duration_ms: 5000,
        max_events: 3,
        group_by: ['.cart.id'],
        date_formats: [{ field: '.at', format: '%d/%m/%Y:%T' }],
        merge_strategies: [
          { field: '.item', strategy: 'array' },
          { field: '."by-whom"', strategy: 'retain' },
        ],
        flush_condition: {
          when: 'ends_when',
          conditional: { expressions: [{ field: '.paid', str_operator: 'exists', value: '' }] },
        },
      },
      defaults: {
        flush_condition: { conditional: { expressions: [{ negate: false }], logical_operation: 'AND' } },
      },
    },
  ],

  examples: [
    {
      title: 'the contents of a cart, after five seconds',
      config: {
        duration_ms: 5000,
        group_by: ['.cart'],
        merge_strategies: [
          { field: '.item', strategy: 'array' },
          { field: '.by', strategy: 'retain' },
        ],
      },
      steps: [
        { atMs: 0, event: { cart: 1, item: 'rye', qty: 2, by: 'ann' }, outcome: hold() },
        { atMs: 1000, event: { cart: 1, item: 'oat', qty: 1, by: null }, outcome: merge() },
        { atMs: 2000, event: { cart: '1', item: 'tea', qty: 9 }, outcome: hold() },
        { atMs: 4999, event: { cart: 1, item: 'rye', qty: 4, by: 'bo' }, outcome: merge() },
        {
          atMs: 5000,
          released: [{ cart: 1, item: ['rye', 'oat', 'rye'], qty: 7, by: 'bo' }],
          event: { cart: 1, item: 'jam', qty: 1 },
          outcome: hold(),
        },
        {
          atMs: 7000,
          released: [{ cart: '1', item: ['tea'], qty: 9 }],
          event: { cart: 1, item: 'jam', qty: 1 },
          outcome: merge(),
        },
      ],
    },
    {
      title: 'a stack trace: each line that does not begin with a blank begins a new event',
      config: {
        merge_strategies: [{ field: '.line', strategy: 'concat_newline' }],
        flush_condition: {
          when: 'starts_when',
          conditional: {
            expressions: [{ field: '.line', str_operator: 'starts_with', value: ' ', negate: true }],
          },
        },
      },
      steps: [
        { event: { line: 'Error: full' }, outcome: hold() },
        { event: { line: '  at fill' }, outcome: merge() },
        { event: { line: '  at main' }, outcome: merge() },
        { event: { line: 'ready' }, outcome: hold([{ line: 'Error: full\n  at fill\n  at main' }]) },
        { atMs: 30_000, released: [{ line: 'ready' }], event: { line: 'again' }, outcome: hold() },
      ],
    },
    {
      title: 'three events at most, or until one says that it is the last',
      config: {
        max_events: 3,
        flush_condition: {
          when: 'ends_when',
          conditional: {
            logical_operation: 'OR',
            expressions: [
              { field: '.from', str_operator: 'is_ip_in_cidr_range', value: '10.0.0.0/8' },
              { field: '.left', str_operator: 'less', value: 1 },
            ],
          },
        },
      },
      steps: [
        { event: { from: '10.0.0.1', n: 1 }, outcome: hold([{ from: '10.0.0.1', n: 1 }]) },
        {
          event: { from: 'here', left: 'all', n: 1 },
          outcome: hold(),
          errors: [
            ['E_COMPARE_BAD_CIDR', '.from'],
            ['E_COMPARE_COERCION_FAILED', '.left'],
          ],
        },
        {
          event: { from: null, n: 2 },
          outcome: merge(),
          errors: [
            ['E_COMPARE_BAD_TYPE', '.from'],
            ['E_NOT_FOUND', '.left'],
          ],
        },
        {
          event: { from: '192.0.2.1', left: 5, n: 3 },
          outcome: merge([{ from: 'here', left: 'all', n: 6 }]),
        },
        { event: { from: '10.0.0.1', n: 1 }, outcome: hold([{ from: '10.0.0.1', n: 1 }]) },
      ],
    },
    {
      title: 'dates: the first and the last, as their format writes them',
      config: {
        max_events: 3,
        date_formats: [
          { field: '.at', format: '%d/%m/%Y:%T' },
          { field: '.epoch', format: '%s' },
          { field: '.maybe', format: '%F' },
        ],
      },
      steps: [
        { event: { at: '9/3/2031:08:15:30', epoch: 1930983330, maybe: 'soon' }, outcome: hold() },
        { event: { at: 'later', epoch: 1930983331, maybe: '2031-03-09' }, outcome: merge() },
        {
          event: { at: '09/03/2031:08:15:59', epoch: '1930983332' },
          outcome: merge([
            {
              at: '09/03/2031:08:15:30',
              at_end: '09/03/2031:08:15:59',
              epoch: 1930983330,
              epoch_end: 1930983332,
              maybe: 'soon',
            },
          ]),
        },
      ],
    },
    {
      title: 'each strategy',
      config: {
        max_events: 3,
        merge_strategies: [
          { field: '.all', strategy: 'array' },
          { field: '.few', strategy: 'shortest_array' },
          { field: '.many', strategy: 'longest_array' },
          { field: '.kinds', strategy: 'flat_unique' },
          { field: '.words', strategy: 'concat' },
          { field: '.lists', strategy: 'concat' },
          { field: '.lines', strategy: 'concat_newline' },
          { field: '.bits', strategy: 'concat_raw' },
          { field: '.first', strategy: 'discard' },
          { field: '.last', strategy: 'retain' },
          { field: '.low', strategy: 'min' },
          { field: '.high', strategy: 'max' },
          { field: '.total', strategy: 'sum' },
        ],
      },
      steps: [
        {
          event: {
            all: 1,
            few: [1, 2],
            many: [1, 2],
            kinds: ['a', 'b'],
            words: 'one',
            lists: [1],
            lines: 'x',
            bits: '0',
            first: 7,
            last: 'x',
            low: 5,
            high: 5,
            total: 'none',
            other: 1,
          },
          outcome: hold(),
        },
        {
          event: {
            all: null,
            few: [3],
            many: [3, 4],
            kinds: { k: 'b', l: 'c' },
            words: 2,
            lists: [[2]],
            lines: 'y',
            bits: '1',
            first: 8,
            last: null,
            low: 4,
            high: 'x',
            total: 2,
            other: 'x',
          },
          outcome: merge(),
        },
        {
          event: { all: {}, kinds: 'd', words: 'two', low: 6, high: 9, total: 3, other: 2, late: { a: 1 } },
          outcome: merge([
            {
              all: [1, null, {}],
              few: [3],
              many: [1, 2],
              kinds: ['a', 'b', 'c', 'd'],
              words: 'one two',
              lists: [1, [2]],
              lines: 'x\ny',
              bits: '01',
              first: 7,
              last: 'x',
              low: 4,
              high: 9,
              other: 3,
              total: 5,
              late: { a: 1 },
            },
          ]),
        },
      ],
    },
  ],
})

function rootField(description: string) {
  return FieldPath({ rootLevel: true, maxLength: MAX_FIELD_LENGTH, description })
}

function begun(group: string, event: Event, endMs: number): Reduction {
  const nothing = { message: new Map(), metadata: new Map() }
  return { group, endMs, first: heldEvent(event), age: 0, count: 1, bytes: event.bytes, ...nothing }
}

/** The first event with the merged values; an event into which nothing was merged stays unchanged. */
function resultOf(reduction: Reduction, rules: MergeRules): Event {
  return mergedInto(releasedEvent(reduction.first), reduction, rules)
}

function mergedInto(event: Event, { count, message, metadata }: Reduction, rules: MergeRules): Event {
  const merged = rules.result(message, event.isExact)
  if (message.size === 0 && !isJsonObject(event.message)) return event
  if (count === 1 && canonicalJson(merged) === canonicalJson(event.message)) return event
  const withMessage = event.withMessage(merged)
  const mergedMetadata = rules.result(metadata, event.isExact)
  return metadata.size === Object.keys(event.metadata).length
    ? withMessage
    : withMessage.withMetadata(mergedMetadata)
}

function rulesText({ group_by = [], merge_strategies = [], date_formats = [] }: MergeOptions): string {
  return JSON.stringify([group_by, merge_strategies, date_formats])
}
