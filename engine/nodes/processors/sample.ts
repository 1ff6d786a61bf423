import Type from 'typebox'
import { Comparison } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'

/** Sample: passes one of every so many events, by counting. Rules: components, section 5.20. */
export const sample = declareProcessor({
  type: 'sample',
  summary: 'Pass one of every so many events.',
  config: Type.Object(
    {
      rate: Type.Optional(
        Type.Integer({ minimum: 2, maximum: 10_000, default: 10, description: 'One of how many passes' }),
      ),
      always_include: Type.Optional(
        Comparison({
          caseSensitiveDefault: true,
          description: 'Comparison; events that meet it pass and are not counted',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  configs: [
    { sent: {}, defaults: { rate: 10 } },
    {
      sent: { rate: 678, always_include: { field: '.line', str_operator: 'contains', value: 'panic' } },
      defaults: { always_include: { negate: false, case_sensitive: true } },
    },
    {
      sent: { rate: 2, always_include: { field: '.error', str_operator: 'exists', negate: true } },
    },
  ],
})
