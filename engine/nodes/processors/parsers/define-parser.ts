import type Type from 'typebox'
import type { Static, TObject } from 'typebox'
import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import type { Problem } from '../../../event/problem.ts'
import type { CostMeter } from '../../../expressions/cost-meter.ts'
import { ObjectBuilder } from '../../../json/ordered-object.ts'
import type { TimeFormatMembers } from '../../options/time-format-option.ts'

/** Turns texts into structure: components, section 5.15. */
export interface Parser<Options = JsonObject> {
  readonly id: string
  /** Texts of more UTF-16 units are not accepted; `MAX_TEXT_LENGTH` when absent. */
  readonly maxTextLength?: number
  /** Undefined without options. */
  readonly options?: TObject
  readonly optionsRequired?: boolean
  /** Member that can be Custom, and the one that then has the text. */
  readonly timeFormat?: TimeFormatMembers
  /** Adds a default that depends on other options. */
  complete?(options: JsonObject): JsonObject
  /**
   * Prepares the options once. The returned function takes time in proportion to the length of the text, and gives at most `MAX_PARTS`.
   *
   * @param meter counts the cost of expressions; its exceptions must not be caught
   */
  compile(options: Options, meter: CostMeter): ParseText
  /** Findings about options that are stored, but cannot be run; pointers lead into the options. */
  runProblems?(options: Options): Problem[]
  readonly examples: readonly ParserExample[]
}

/**
 * Parses a whole text.
 *
 * @param nowMs log time, for times without a year
 * @returns undefined when the text does not have the form
 */
export type ParseText = (text: string, nowMs: number) => JsonValue | undefined

/** Worked example: it runs as a test and is printed on the reference page. */
export interface ParserExample {
  readonly text: string
  readonly options?: JsonObject
  /** Log time, UNIX ms; 0 unless given. */
  readonly atMs?: number
  /** Absent: the parser does not accept the text. */
  readonly value?: JsonValue
}

/** Schema of a parser without options. */
type NoOptions = ReturnType<typeof Type.Object<Record<never, never>>>

/** Gives a parser the one type that all of them share; its runner passes on options that its schema accepted. */
export function defineParser<Schema extends TObject = NoOptions>(
  parser: Omit<Parser<Static<Schema>>, 'options'> & { readonly options?: Schema },
): Parser {
  return parser as unknown as Parser
}

/** Longer texts are not accepted: a parser reads a text at once, which takes up to 16 ms for this length. (Our choice.) */
export const MAX_TEXT_LENGTH = 262_144

/**
 * Parts that a result may have, such as members and elements. A text with more is not accepted, because it would take too long
 * at once: 100,000 keys take 50 ms for a bare `JSON.parse`, and 200 ms until the event is measured and printed. Lines of a log and
 * pushed events have no room for as many. (Our choice.)
 */
export const MAX_PARTS = 20_000

/** Options of a parser, without others. */
export const CLOSED = { additionalProperties: false } as const

/** An object with the members that have a value, in their order. */
export function objectOf(
  members: readonly (readonly [key: string, value: JsonValue | undefined])[],
): JsonObject {
  const builder = new ObjectBuilder()
  for (const [key, value] of members) builder.setIfThere(key, value)
  return builder.built()
}

/** A captured text; undefined for a dash, which stands for no value. */
export function unlessDash(text: string | undefined): string | undefined {
  return text === '-' ? undefined : text
}

/** The integer of decimal digits, with all of them. */
export function integerOf(digits: string): number | bigint {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}

/** The integer of decimal digits; undefined for a dash or nothing. */
export function integerUnlessDash(digits: string | undefined): number | bigint | undefined {
  return digits === undefined || digits === '-' ? undefined : integerOf(digits)
}
