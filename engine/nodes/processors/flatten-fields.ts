import Type from 'typebox'
import { FieldPath } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'

/** Flatten fields: nested objects become one level with joined key names. Rules: components, section 5.10. */
export const flattenFields = declareProcessor({
  type: 'flatten-fields',
  summary: 'Turn nested objects into one level with joined key names.',
  config: Type.Object(
    {
      fields: Type.Optional(
        Type.Array(FieldPath({ description: 'Field to flatten, such as .geo' }), {
          default: [],
          description: 'Fields to flatten; none means the whole message',
        }),
      ),
      options: Type.Optional(
        Type.Object(
          {
            delimiter: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 1,
                default: '_',
                description: 'Character between joined keys',
              }),
            ),
          },
          { additionalProperties: false, default: {}, description: 'How keys are joined' },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  configs: [
    { sent: {}, defaults: { fields: [], options: { delimiter: '_' } } },
    {
      sent: { fields: ['.geo'], options: { delimiter: '-' } },
    },
  ],
})
