import Type from 'typebox'
import { isJsonObject, type JsonValue } from '../../schemas/json.ts'
import { FieldPath } from '../config-schema.ts'
import type { Problem } from '../problem.ts'
import { declareProcessor } from './define-processor.ts'
import { customFormatProblems, TimeFormatOption } from './time-format-option.ts'

/** Set timestamp: the time of an event is what one of its fields says. Rules: components, section 5.21. */
export const setTimestamp = declareProcessor({
  type: 'set-timestamp',
  summary: 'Take the time of an event from one of its fields.',
  config: Type.Object(
    {
      parsers: Type.Array(
        Type.Object(
          { field: FieldPath({ description: 'Field with the time' }), options: TimeFormatOption },
          { additionalProperties: false },
        ),
        { minItems: 1, description: 'Fields and formats, in order of trial' },
      ),
    },
    { additionalProperties: false },
  ),
  check: ({ parsers }) => (Array.isArray(parsers) ? parsers.flatMap(formatProblems) : []),
  configs: [
    {
      sent: {
        parsers: [
          { field: '.at', options: { format: 'Custom', custom_format: '%d.%m.%Y %H:%M' } },
          { field: '.epoch', options: { format: '%s' } },
        ],
      },
      stored: {
        parsers: [
          { field: '.at', options: { format: 'Custom', custom_format: '%d.%m.%Y %H:%M' } },
          { field: '.epoch', options: { format: '%s' } },
        ],
      },
    },
  ],
})

function formatProblems(parser: JsonValue, index: number): Problem[] {
  if (!isJsonObject(parser) || !isJsonObject(parser.options)) return []
  return customFormatProblems(parser.options, { format: 'format', custom: 'custom_format' }).map(
    ({ message }) => ({ instancePath: `/parsers/${index}/options`, message }),
  )
}
