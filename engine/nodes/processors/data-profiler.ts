import Type from 'typebox'
import { FieldPath } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'

const MAX_FIELDS = 10
const MAX_FIELD_LENGTH = 512

/** Data profiler: passes everything on and keeps a profile of it on the side. Rules: components, section 5.3. */
export const dataProfiler = declareProcessor({
  type: 'data-profiler',
  summary: 'Build a profile of what passes, and mark events with what they are.',
  config: Type.Object(
    {
      app_fields: rolePaths(1, 'Where the name of the app is, in order of trial'),
      host_fields: rolePaths(1, 'Where the name of the host is, in order of trial'),
      level_fields: rolePaths(1, 'Where the level is, in order of trial'),
      line_fields: rolePaths(1, 'Where the line is, in order of trial'),
      label_fields: Type.Optional(rolePaths(0, 'Where labels are')),
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
      stored: {
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
      stored: {
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
