import Type from 'typebox'
import type { JsonObject } from '../../schemas/json.ts'
import type { Problem } from '../problem.ts'

/** In the place of a format: what holds stands in a member of its own (components, section 9.3). */
const CUSTOM = 'Custom'

/** How a time is written, where an option takes it as an object. */
export const TimeFormatOption = Type.Object(
  {
    format: Type.String({ minLength: 1, description: 'strftime text, or Custom' }),
    custom_format: Type.Optional(Type.String({ minLength: 1, description: 'strftime text, for Custom' })),
  },
  { additionalProperties: false, description: 'How the time is written' },
)

/** @returns the finding about an object that says Custom and nothing more */
export function customFormatProblems(
  options: JsonObject,
  { format, custom }: { readonly format: string; readonly custom: string },
): Problem[] {
  if (options[format] !== CUSTOM || options[custom] !== undefined) return []
  return [{ instancePath: '', message: `must have required property '${custom}'` }]
}
