import type Type from 'typebox'
import type { Static, TObject } from 'typebox'
import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import type { Problem } from '../../../event/problem.ts'
import { type Entry, orderedObject } from '../../../json/ordered-object.ts'
import type { TimeFormatMembers } from '../../options/time-format-option.ts'

/** Parser as the API knows it, whether or not this program runs it: components, section 5.15. */
export interface ParserDeclaration {
  readonly id: string
  /** Undefined without options. */
  readonly options?: TObject
  readonly optionsRequired?: boolean
  /** Member that can be Custom, and the one that then has the text. */
  readonly timeFormat?: TimeFormatMembers
  /** Adds a default that depends on other options. */
  complete?(options: JsonObject): JsonObject
}

/** Turns texts into structure. */
export interface Parser<Options = JsonObject> extends ParserDeclaration {
  /** Prepares the options once. The returned function takes time in proportion to the length of the text, and gives at most `MAX_PARTS`. */
  compile(options: Options): ParseText
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

/** Declares a parser whose options are accepted and stored, and with which no pipeline can be published. */
export function declareParser(declaration: ParserDeclaration): ParserDeclaration {
  return declaration
}

export function isRunning(parser: ParserDeclaration): parser is Parser {
  return 'compile' in parser
}

/**
 * Parts that a result may have, such as members and elements. A text with more is not accepted, because it would take too long
 * at once. Lines of a log have no room for as many. (Our choice.)
 */
export const MAX_PARTS = 20_000

/** Options of a parser, without others. */
export const CLOSED = { additionalProperties: false } as const

/** An object with the members that have a value, in their order. */
export function objectOf(
  members: readonly (readonly [key: string, value: JsonValue | undefined])[],
): JsonObject {
  return orderedObject(members.filter((member): member is Entry => member[1] !== undefined))
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
