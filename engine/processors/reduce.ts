import Type from 'typebox'
import { Conditional, FieldPath } from '../config-schema.ts'
import { declareProcessor } from './define-processor.ts'

const MAX_DURATION_MS = 7_200_000 // Two hours.
const MAX_FIELD_LENGTH = 200
const STRATEGIES = [
  ...(['array', 'shortest_array', 'longest_array', 'flat_unique'] as const),
  ...(['concat', 'concat_newline', 'concat_raw', 'discard', 'retain', 'min', 'max', 'sum'] as const),
]

/** Reduce: the events of a group over a span of time become one. Rules: components, section 5.18. */
export const reduce = declareProcessor({
  type: 'reduce',
  summary: 'Merge the events of a group over a span of time into one.',
  config: Type.Object(
    {
      duration_ms: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_DURATION_MS,
          default: 30_000,
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
          { additionalProperties: false, description: 'What ends a result early' },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  configs: [
    { sent: {}, stored: { duration_ms: 30_000 } },
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
      stored: {
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
          conditional: {
            expressions: [{ field: '.paid', str_operator: 'exists', value: '', negate: false }],
            logical_operation: 'AND',
          },
        },
      },
    },
  ],
})

function rootField(description: string) {
  return FieldPath({ rootLevel: true, maxLength: MAX_FIELD_LENGTH, description })
}
