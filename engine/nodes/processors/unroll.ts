import Type from 'typebox'
import type { JsonValue } from '../../../schemas/json.ts'
import { type ErrorDetail, foundType } from '../../event/errors.ts'
import type { Event } from '../../event/event.ts'
import { type Field, fieldAt } from '../../event/field-path.ts'
import { pass, type Split, split, splitInTurn } from '../../event/outcome.ts'
import { jsonBytes, textFormBytes } from '../../json/json-size.ts'
import { FieldPath } from '../contract/config-schema.ts'
import { defineProcessor } from '../contract/define-processor.ts'
import { COPIED_AT_ONCE_BITS, PARTS_TOO_DEAR } from '../contract/option-work.ts'

const MAX_ELEMENTS = 10_000
/** Stands in place of the element in the copy of which the others are made. */
const PLACEHOLDER = 0
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
    `An event whose list has more than ${MAX_ELEMENTS.toLocaleString('en-US')} elements passes unchanged, with \`E_UNROLL_BAD_TYPE\`. From one record of the log, the nodes of an account make at most 1,048,576 events, with at most 256 MiB of messages. An event that would make more fails before any of its parts is made.`,
    'With `values_only: false`, each part repeats the event. [A part of that is free](operations.md#what-expressions-may-cost). Beyond it the account owes a unit per two bytes, and log time pays for 4 million units a second. While the account owes units on the partition, an event that needs more than the free part fails with `E_EXPRESSION_COST`. An event can owe at most 134,217,728 units: those of 256 MiB.',
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
  causes: { E_EXPRESSION_COST: PARTS_TOO_DEAR },

  compile({ field, values_only: valuesOnly = true }) {
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
      return valuesOnly ? bareElements(event, value) : copiesAround(event, value, items)
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

function bareElements(event: Event, elements: readonly JsonValue[]): Split {
  let bytes = 0
  const events = elements.map(element => {
    const size = textFormBytes(element)
    bytes += size
    return event.withMessage(element, size)
  })
  return splitInTurn({ count: elements.length, events, bytes, copyUnits: 0 })
}

/** Copies of the event around each element, which are made one by one. */
function copiesAround(event: Event, elements: readonly JsonValue[], items: Field): Split {
  const count = elements.length
  // The copies differ from this one by the element alone, also in their size.
  const copy = items.write(event, PLACEHOLDER)
  const copyUnits = count * copyingUnits(items, event, copy)
  if (items.root === 'metadata' || copy === event)
    return splitInTurn({
      count,
      events: copies(items, copy, elements),
      bytes: count * event.bytes,
      copyUnits,
    })
  // An element of the whole message is all of the copy, and may be a text without quotes.
  const isWhole = items.depth === 0
  const bytesAround = isWhole ? 0 : copy.bytes - jsonBytes(PLACEHOLDER)
  const sizes: number[] = []
  let bytes = 0
  for (const element of elements) {
    const size = bytesAround + (isWhole ? textFormBytes(element) : jsonBytes(element))
    sizes.push(size)
    bytes += size
  }
  return splitInTurn({ count, events: copies(items, copy, elements, sizes), bytes, copyUnits })
}

/** @param sizes of the messages of the copies; absent: they are those of the event */
function* copies(
  items: Field,
  copy: Event,
  elements: readonly JsonValue[],
  sizes?: readonly number[],
): Generator<Event> {
  for (const [index, element] of elements.entries())
    yield items.write(copy, element, sizes && (sizes[index] as number) - copy.bytes)
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
