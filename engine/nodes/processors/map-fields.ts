import Type from 'typebox'
import { FieldPath } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'

/** Map fields: copies or moves fields, one after the other. Rules: components, section 5.12. */
export const mapFields = declareProcessor({
  type: 'map-fields',
  summary: 'Copy or move fields.',
  config: Type.Object(
    {
      mappings: Type.Array(
        Type.Object(
          {
            source_field: FieldPath({ description: 'Field to copy from' }),
            target_field: FieldPath({ description: 'Field to copy to' }),
            drop_source: Type.Optional(Type.Boolean({ default: false, description: 'Move instead of copy' })),
            overwrite_target: Type.Optional(
              Type.Boolean({ default: false, description: 'Replace a target that is there already' }),
            ),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, description: 'Mappings; each works on the result of the previous one' },
      ),
    },
    { additionalProperties: false },
  ),
  configs: [
    {
      sent: {
        mappings: [
          { source_field: 'metadata.query.site', target_field: '.site' },
          { source_field: '.n.id', target_field: '.id', drop_source: true, overwrite_target: true },
        ],
      },
      defaults: { mappings: [{ drop_source: false, overwrite_target: false }, {}] },
    },
  ],
})
