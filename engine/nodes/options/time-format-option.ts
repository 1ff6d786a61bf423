import Type from 'typebox'
import type { JsonObject } from '../../../schemas/json.ts'
import type { Problem } from '../../event/problem.ts'
import { compileTimeFormat } from '../../times/time-format.ts'

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

/** Members of an option: one that may say Custom, and the one that then says more. */
export interface TimeFormatMembers {
  readonly format: string
  readonly custom: string
}

/** @returns the format that holds; undefined when there is none */
export function timeFormatText(
  options: JsonObject,
  { format, custom }: TimeFormatMembers,
): string | undefined {
  const text = options[format] === CUSTOM ? options[custom] : options[format]
  return typeof text === 'string' ? text : undefined
}

/** @returns the finding about an object that says Custom and nothing more */
export function customFormatProblems(options: JsonObject, { format, custom }: TimeFormatMembers): Problem[] {
  if (options[format] !== CUSTOM || options[custom] !== undefined) return []
  return [{ instancePath: '', message: `must have required property '${custom}'` }]
}

/**
 * Formats are kept as clients send them; a pipeline with one that nothing can read by is not published.
 *
 * @param compile throws a RangeError where it does not take a format
 */
export function unreadableFormatProblems(
  options: JsonObject,
  members: TimeFormatMembers,
  compile: (format: string) => unknown = compileTimeFormat,
): Problem[] {
  const problem = formatProblem(timeFormatText(options, members) ?? '', compile)
  if (problem === undefined) return []
  const member = options[members.format] === CUSTOM ? members.custom : members.format
  return [{ instancePath: `/${member}`, message: problem }]
}

/** @returns what is wrong with a time format, as a finding says it */
export function formatProblem(
  format: string,
  compile: (format: string) => unknown = compileTimeFormat,
): string | undefined {
  try {
    compile(format)
    return undefined
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return `must be a valid time format: ${error.message}`
  }
}
