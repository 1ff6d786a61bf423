import Type from 'typebox'
import { FieldPath } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'

/** Unroll: one event that holds an array becomes one event per element, in order. Rules: components, section 5.25. */
export const unroll = declareProcessor({
  type: 'unroll',
  summary: 'Emit one event per element of an array field.',
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
  configs: [
    { sent: { field: '.items' }, stored: { field: '.items', values_only: true } },
    { sent: { field: '.items', values_only: false }, stored: { field: '.items', values_only: false } },
  ],
})
