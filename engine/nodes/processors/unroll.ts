import Type from 'typebox'
import type { JsonValue } from '../../../schemas/json.ts'
import { type ErrorDetail, foundType } from '../../event/errors.ts'
import type { Event } from '../../event/event.ts'
import { type Field, fieldAt } from '../../event/field-path.ts'
import { pass, split, splitInTurn } from '../../event/outcome.ts'
import { jsonBytes } from '../../json/json-size.ts'
import { FieldPath } from '../contract/config-schema.ts'
import { defineProcessor } from '../contract/define-processor.ts'
import { COPIED_AT_ONCE_BITS } from '../contract/option-work.ts'

const MAX_ELEMENTS = 10_000
const TOO_MANY_ELEMENTS = `the array has more than ${MAX_ELEMENTS.toLocaleString('en-US')} elements`

/**
 * Unroll: one event with an array becomes one event per element, in order. An empty array yields no event. An event
 * without a usable array passes unchanged, with an error record. Rules: components, section 5.25.
 */
export const unroll = defineProcessor({
  type: 'unroll',
  summary: 'Emit one event per element of an array field.',
  since: 6,
  notes: [
    `An event whose list has more than ${MAX_ELEMENTS.toLocaleString('en-US')} elements passes unchanged, with \`E_UNROLL_BAD_TYPE\`. From one record of the log, the nodes of an account make at most 1,048,576 events, with at most 256 MiB of messages; an event that would make more fails.`,
  ],
  config: Type.Object(
    {
      field: FieldPath({ description: 'Array to unroll, such as .items' }),
      values_only: Type.Optional(
        Type.Boolean({
          default: true,
          description: 'Emit the bare elements, not copies of the event around them',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  errors: ['E_NOT_FOUND', 'E_UNROLL_BAD_TYPE', 'E_EXPRESSION_COST'],

  compile({ field, values_only: valuesOnly = true }, _report, meter) {
    const items = fieldAt(field)
    return event => {
      const value = items.read(event)
      if (value === undefined) return pass(event, 'E_NOT_FOUND', { field })
      if (!Array.isArray(value))
        return pass(event, 'E_UNROLL_BAD_TYPE', detailed(event, { field, found: foundType(value) }))
      if (value.length > MAX_ELEMENTS)
        return pass(
          event,
          'E_UNROLL_BAD_TYPE',
          detailed(event, { field, found: 'array', cause: TOO_MANY_ELEMENTS }),
        )
      if (valuesOnly) return split(value.map(element => event.withMessage(element)))
      // The copies differ from this one by the element alone, also in their size.
      const copy = items.write(event, 0)
      meter.work(value.length * copyingUnits(items, event, copy))
      return splitInTurn(value.length, copies(items, copy, value))
    }
  },

  explain: ({ field }) => {
    const reason = { rule: 'the array is empty', field }
    return () => reason
  },

  configs: [
    { sent: { field: '.items' }, defaults: { values_only: true } },
    { sent: { field: '.items', values_only: false } },
  ],

  examples: [
    {
      title: 'the event around the array is copied to each element',
      config: { field: '.rows', values_only: false },
      steps: [
        {
          event: { lot: 3, rows: ['a', { b: 1 }] },
          outcome: split([
            { lot: 3, rows: 'a' },
            { lot: 3, rows: { b: 1 } },
          ]),
        },
      ],
    },
    {
      title:
        'by default each element is the message; elements may be of any type, and nested arrays are not entered',
      config: { field: '.rows' },
      steps: [
        { event: { lot: 3, rows: ['a', { b: 1 }] }, outcome: split<JsonValue>(['a', { b: 1 }]) },
        { event: { rows: [null, [1, [2]], false] }, outcome: split<JsonValue>([null, [1, [2]], false]) },
      ],
    },
    {
      title: 'the whole message may be the array',
      config: { field: '.' },
      steps: [{ event: [1, 2], outcome: split([1, 2]) }],
    },
    {
      title: 'an empty array yields no event',
      config: { field: '.rows' },
      steps: [{ event: { rows: [] }, outcome: split([]) }],
    },
    {
      title: 'an event without the field passes, and the error is recorded',
      config: { field: '.rows' },
      steps: [
        {
          event: { lot: 3 },
          outcome: pass({ lot: 3 }, 'E_NOT_FOUND', { field: '.rows' }),
          errors: [['E_NOT_FOUND', '.rows']],
        },
        {
          event: 'a text',
          outcome: pass('a text', 'E_NOT_FOUND', { field: '.rows' }),
          errors: [['E_NOT_FOUND', '.rows']],
        },
      ],
    },
    {
      title: 'a value that is not an array passes as it is, and the error is recorded',
      config: { field: '.rows' },
      steps: [
        {
          event: { rows: 'abc' },
          outcome: pass({ rows: 'abc' }, 'E_UNROLL_BAD_TYPE', { field: '.rows', found: 'string' }),
          errors: [['E_UNROLL_BAD_TYPE', '.rows']],
        },
        {
          event: { rows: { 0: 'a' } },
          outcome: pass({ rows: { 0: 'a' } }, 'E_UNROLL_BAD_TYPE', { field: '.rows', found: 'object' }),
          errors: [['E_UNROLL_BAD_TYPE', '.rows']],
        },
        {
          event: { rows: null },
          outcome: pass({ rows: null }, 'E_UNROLL_BAD_TYPE', { field: '.rows', found: 'null' }),
          errors: [['E_UNROLL_BAD_TYPE', '.rows']],
        },
      ],
    },
  ],
})

/** The error named only the field before the twelfth behaviour, of which canonical times are a sign. */
function detailed(event: Event, detail: ErrorDetail & { readonly field: string }): ErrorDetail {
  return event.forms.hasCanonicalTimes ? detail : { field: detail.field }
}

function* copies(items: Field, copy: Event, elements: readonly JsonValue[]): Generator<Event> {
  for (const element of elements) yield items.write(copy, element, true)
}

/** Units of one copy of the event around an element: its slots are copied, and its text is stored once more. */
function copyingUnits(items: Field, event: Event, copy: Event): number {
  return items.copyUnits(event) + (copiedBytes(items, event, copy) >> COPIED_AT_ONCE_BITS)
}

function copiedBytes(items: Field, event: Event, copy: Event): number {
  if (items.root === 'metadata') return jsonBytes(copy.metadata)
  // The size of an event may be that of the line it was sent as. A copy that cannot be written is the event itself.
  return copy === event ? jsonBytes(event.message) : copy.bytes
}
