import Type from 'typebox'
import type { JsonObject } from '../../../schemas/json.ts'
import type { Event } from '../../event/event.ts'
import { parseFieldPath, type Removal, removalsOf } from '../../event/field-path.ts'
import { pass } from '../../event/outcome.ts'
import type { Problem } from '../../event/problem.ts'
import { FieldPath } from '../contract/config-schema.ts'
import { type CostMeter, defineProcessor } from '../contract/define-processor.ts'
import { ENTRY_UNITS, UNCOUNTED_ENTRIES, UNCOUNTED_PASSES } from '../contract/option-work.ts'

/**
 * Drop fields: removes places from the event, in order. A missing place is not an error. Rules: components, section 5.7.
 */
export const dropFields = defineProcessor({
  type: 'drop-fields',
  summary: 'Remove fields from each event.',
  config: Type.Object(
    {
      fields: Type.Array(FieldPath({ description: 'Field to remove, such as .card.cvv' }), {
        minItems: 1,
        description: 'Fields to remove, in order',
      }),
    },
    { additionalProperties: false },
  ),
  errors: ['E_EXPRESSION_COST'],

  check: ({ fields }) => (Array.isArray(fields) ? fields.flatMap(timestampProblem) : []),

  compile({ fields }, _report, meter) {
    const removals = removalsOf(fields)
    if (removals.length <= UNCOUNTED_PASSES && fields.length <= UNCOUNTED_ENTRIES)
      return event => pass(without(event, removals))
    return event => {
      meter.work(fields.length * ENTRY_UNITS)
      return pass(without(event, removals, meter))
    }
  },

  configs: [{ sent: { fields: ['.secret', '.user."card-no"'] } }],

  examples: [
    {
      title: 'parents stay, even when they are empty afterwards, and metadata can be dropped, too',
      config: { fields: ['.card.cvv', 'metadata.headers'] },
      steps: [
        {
          event: { card: { cvv: '1' }, sum: 4 },
          envelope: { metadata: { headers: { a: 'b' }, query: {} } },
          outcome: pass({ card: {}, sum: 4 }),
          metadataAfter: { query: {} },
        },
      ],
    },
    {
      title: 'absent fields are ignored',
      config: { fields: ['.a', '.b.c', '.list[3]'] },
      steps: [
        { event: { sum: 4 }, outcome: pass({ sum: 4 }) },
        { event: 'a text', outcome: pass('a text') },
      ],
    },
    {
      title: 'fields go one after the other, so an index counts the remaining elements',
      config: { fields: ['.list[0]', '.list[0]'] },
      steps: [{ event: { list: [1, 2, 3] }, outcome: pass({ list: [3] }) }],
    },
    {
      title: 'dropping the whole message leaves an empty object',
      config: { fields: ['.'] },
      steps: [{ event: { a: 1 }, outcome: pass({}) }],
    },
  ],
})

/** @param meter counts the copies that the changes make; absent: they are few */
function without(event: Event, removals: readonly Removal[], meter?: CostMeter): Event {
  let left = event
  for (const removal of removals) {
    if (meter !== undefined) {
      const units = removal.copyUnits(left)
      if (units === 0) continue
      meter.work(units)
    }
    left = removal.remove(left)
  }
  return left
}

/** An event always has a timestamp. */
function timestampProblem(field: JsonObject[string], index: number): Problem[] {
  if (typeof field !== 'string' || parseFieldPath(field)?.root !== 'timestamp') return []
  return [{ instancePath: `/fields/${index}`, message: 'must NOT be the timestamp, which cannot be dropped' }]
}
