import Type from 'typebox'
import { FieldPath } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'

/** Compact fields: removes empty values, at every depth. Rules: components, section 5.2. */
export const compactFields = declareProcessor({
  type: 'compact-fields',
  summary: 'Remove empty values below the given fields.',
  config: Type.Object(
    {
      fields: Type.Array(FieldPath({ description: 'Field to compact, such as .order' }), {
        minItems: 1,
        description: 'Fields to compact',
      }),
      options: Type.Optional(
        Type.Object(
          {
            compact_array: Type.Optional(
              Type.Boolean({ default: true, description: 'Remove arrays without elements' }),
            ),
            compact_object: Type.Optional(
              Type.Boolean({ default: true, description: 'Remove objects without members' }),
            ),
          },
          {
            additionalProperties: false,
            default: {},
            description: 'Further values that count as empty, in addition to nulls and ""',
          },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  configs: [
    {
      sent: { fields: ['.lot', 'metadata.headers'] },
      defaults: { options: { compact_array: true, compact_object: true } },
    },
    {
      sent: { fields: ['.'], options: { compact_object: false } },
      defaults: { options: { compact_array: true } },
    },
  ],
})
