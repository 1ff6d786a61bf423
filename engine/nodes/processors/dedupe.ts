import Type from 'typebox'
import { FieldPath } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'

const MAX_REMEMBERED_EVENTS = 5000

/** Dedupe: the first of equal events passes, the rest are dropped. Rules: components, section 5.5. */
export const dedupe = declareProcessor({
  type: 'dedupe',
  summary: 'Drop events that equal one of the last distinct ones.',
  config: Type.Object(
    {
      fields: Type.Array(FieldPath({ description: 'Field such as .request_id' }), {
        minItems: 1,
        description: 'Fields to compare, or to leave out of the comparison',
      }),
      number_of_events: Type.Optional(
        Type.Integer({
          minimum: 2,
          maximum: MAX_REMEMBERED_EVENTS,
          default: MAX_REMEMBERED_EVENTS,
          description: 'How many distinct events are remembered',
        }),
      ),
      comparison_type: Type.Optional(
        Type.Enum(['Match', 'Ignore'], {
          default: 'Match',
          description: 'Match: compare the fields. Ignore: compare the message without them',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  configs: [
    {
      sent: { fields: ['.badge'] },
      defaults: { number_of_events: 5000, comparison_type: 'Match' },
    },
    {
      sent: { fields: ['.seen_at', '.trace.id'], number_of_events: 2, comparison_type: 'Ignore' },
    },
  ],
})
