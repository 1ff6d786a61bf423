import Type from 'typebox'
import type { JsonObject } from '../../../schemas/json.ts'
import { type Problem, quotable } from '../../event/problem.ts'
import { compileTimeFormat } from '../../times/time-format.ts'

/** Value in place of a format whose text is in another member (components, section 9.3). */
const CUSTOM = 'Custom'

/** Format of a time, for options that contain it as an object. */
export const TimeFormatOption = Type.Object(
  {
    format: Type.String({ minLength: 1, description: 'strftime text, or Custom' }),
    custom_format: Type.Optional(Type.String({ minLength: 1, description: 'strftime text, for Custom' })),
  },
  { additionalProperties: false, description: 'Form of the time' },
)

/** Members of an option: one that can be Custom, and the one that then has the text. */
export interface TimeFormatMembers {
  readonly format: string
  readonly custom: string
}

/** @returns the format in force; undefined without one */
export function timeFormatText(
  options: JsonObject,
  { format, custom }: TimeFormatMembers,
): string | undefined {
  const text = options[format] === CUSTOM ? options[custom] : options[format]
  return typeof text === 'string' ? text : undefined
}

/**
 * Returns the findings about a format that is sent: Custom without a text, or a format by which no time can be read.
 *
 * @param options members of any type; findings of their schema are not repeated
 * @param compile throws a RangeError for an invalid format
 */
export function timeFormatProblems(
  options: JsonObject,
  members: TimeFormatMembers,
  compile?: (format: string) => unknown,
): Problem[] {
  const { format, custom } = members
  if (options[format] === CUSTOM && options[custom] === undefined)
    return [{ instancePath: '', message: `must have required property '${custom}'` }]
  return unreadableFormatProblems(options, members, compile)
}

/**
 * Reports formats by which no time can be read. Such formats are refused when they are sent, but earlier programs stored
 * them: a pipeline with one cannot be published.
 *
 * @param compile throws a RangeError for an invalid format
 */
export function unreadableFormatProblems(
  options: JsonObject,
  members: TimeFormatMembers,
  compile: (format: string) => unknown = compileTimeFormat,
): Problem[] {
  const text = timeFormatText(options, members)
  const problem = text && formatProblem(text, compile)
  if (!problem) return []
  const member = options[members.format] === CUSTOM ? members.custom : members.format
  return [{ instancePath: `/${member}`, message: problem }]
}

/** @returns the problem of a time format, as the message of a finding */
export function formatProblem(
  format: string,
  compile: (format: string) => unknown = compileTimeFormat,
): string | undefined {
  try {
    compile(format)
    return undefined
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return `must be a valid time format, and "${quotable(format)}" is not: ${error.message}`
  }
}
