import Type from 'typebox'
import { isJsonObject } from '../../../../schemas/json.ts'
import { compileCondition, JUDGING_CODES } from '../../../conditions/condition.ts'
import type { Event } from '../../../event/event.ts'
import { heldEvent, releasedEvent, releasedEvents } from '../../../event/held-event.ts'
import { hold, merge } from '../../../event/outcome.ts'
import { type Problem, pointerTo } from '../../../event/problem.ts'
import { canonicalJson } from '../../../json/canonical-json.ts'
import { Conditional, FieldPath } from '../../contract/config-schema.ts'
import { defineProcessor } from '../../contract/define-processor.ts'
import { keyHash, valuesKey } from '../../contract/values-key.ts'
import { formatProblem } from '../../options/time-format-option.ts'
import { type MergeOptions, MergeRules } from './merge-rules.ts'
import { REDUCE_EXAMPLES } from './reduce-examples.ts'
import { type Reduction, Reductions } from './reductions.ts'

const DEFAULT_DURATION_MS = 30_000
const MAX_DURATION_MS = 7_200_000 // Two hours.
const MAX_FIELD_LENGTH = 200
const MAX_FORMAT_LENGTH = 200
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
  notes: [
    'By default, numbers are added up, date fields keep the first value and the last one under `<key>_end`, and of other values the first is kept. Keys in `group_by` keep the first value. Metadata is merged by its members, of which the first counts; the timestamp is that of the first event.',
    `A window of more than ${MAX_REDUCTION_BYTES / 1024} KiB leaves early, and the oldest leave when those of a node in a partition have more than ${MAX_NODE_BYTES / (1024 * 1024)} MiB.`,
  ],
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
              format: Type.String({
                minLength: 1,
                maxLength: MAX_FORMAT_LENGTH,
                description: 'strftime text',
              }),
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
              strategy: Type.Enum(STRATEGIES, { description: 'Rule by which its values are merged' }),
            },
            { additionalProperties: false },
          ),
          { minItems: 1, description: 'Rules for fields that are not merged by default' },
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

  check: dateProblems,

  // Earlier programs stored formats by which no time can be read.
  runProblems: dateProblems,

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

  examples: REDUCE_EXAMPLES,
})

/** Returns the findings about formats by which no time can be read; members may have any type. */
function dateProblems({ date_formats: formats }: { readonly date_formats?: unknown }): Problem[] {
  if (!Array.isArray(formats)) return []
  return formats.flatMap((date, index) => {
    const format = isJsonObject(date) ? date.format : undefined
    // Others are findings of the schema.
    if (typeof format !== 'string' || format === '' || format.length > MAX_FORMAT_LENGTH) return []
    const message = formatProblem(format)
    return message === undefined
      ? []
      : [{ instancePath: `${pointerTo('/date_formats', index)}/format`, message }]
  })
}

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
  const merged = rules.result(message, event.forms.isExact)
  if (message.size === 0 && !isJsonObject(event.message)) return event
  if (count === 1 && canonicalJson(merged) === canonicalJson(event.message)) return event
  const withMessage = event.withMessage(merged)
  const mergedMetadata = rules.result(metadata, event.forms.isExact)
  return metadata.size === Object.keys(event.metadata).length
    ? withMessage
    : withMessage.withMetadata(mergedMetadata)
}

function rulesText({ group_by = [], merge_strategies = [], date_formats = [] }: MergeOptions): string {
  return JSON.stringify([group_by, merge_strategies, date_formats])
}
