import Type from 'typebox'
import { FieldPath } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'

const MAX_FIELDS = 10
const MAX_FIELD_LENGTH = 512

/** Data profiler: passes all events and keeps a profile of them. Rules: components, section 5.3. */
export const dataProfiler = declareProcessor({
  type: 'data-profiler',
  summary: 'Build a profile of the passing events, and mark events with their kind.',
  config: Type.Object(
    {
      app_fields: rolePaths(1, 'Fields that may contain the name of the app, in order of trial'),
      host_fields: rolePaths(1, 'Fields that may contain the name of the host, in order of trial'),
      level_fields: rolePaths(1, 'Fields that may contain the level, in order of trial'),
      line_fields: rolePaths(1, 'Fields that may contain the line, in order of trial'),
      label_fields: Type.Optional(rolePaths(0, 'Fields that contain labels')),
    },
    { additionalProperties: false },
  ),
  configs: [
    {
      sent: {
        app_fields: ['.app', '.container'],
        host_fields: ['.host', '.hostname'],
        level_fields: ['.level'],
        line_fields: ['.line', '.message'],
      },
    },
    {
      sent: {
        app_fields: ['.app'],
        host_fields: ['metadata.query.hostname'],
        level_fields: ['.level'],
        line_fields: ['.'],
        label_fields: ['.labels'],
      },
    },
  ],
})

function rolePaths(minItems: number, description: string) {
  const path = FieldPath({ maxLength: MAX_FIELD_LENGTH, description: 'Field such as .level' })
  return Type.Array(path, { minItems, maxItems: MAX_FIELDS, description })
}
