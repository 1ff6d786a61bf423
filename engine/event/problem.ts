import { nearestWord, suggestion } from '../nearest-word.ts'

/** One finding about a request body, in the words of a JSON schema validator (pipeline API, section 1.3). */
export interface Problem {
  /** JSON pointer into the checked value; empty for the whole value. */
  readonly instancePath: string
  readonly message: string
}

/** Maximum number of findings in an answer. A body that consists of mistakes would have a million. */
export const MAX_PROBLEMS = 1000

/** A JSON pointer one step further down. */
export function pointerTo(parent: string, step: string | number): string {
  return `${parent}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

const QUOTED_CHARACTERS = 100

/** A name that was sent, as a message quotes it: of a long one only the beginning. */
export function quotable(name: string): string {
  if (name.length <= QUOTED_CHARACTERS) return name
  return `${name.slice(0, QUOTED_CHARACTERS).toWellFormed()}…`
}

/**
 * Finding about a member that an object must not have, which names the nearest one that it can have.
 *
 * @param known names of the members that the object can have
 * @param owner the object, as a sentence names it
 */
export function unknownMember(name: string, known: readonly string[], owner: string): string {
  const rule = 'must NOT have additional properties'
  if (nearestWord(name, known) === undefined) return `${rule}: '${quotable(name)}'`
  return `${rule}: "${name}" is not a setting of ${owner}${suggestion(name, known)}`
}

/** Finding about a value that is not one of a list. @param list whether the values are named */
export function unknownChoice(value: unknown, allowed: readonly unknown[], list: boolean): string {
  const rule = 'must be equal to one of the allowed values'
  const named = list ? `${rule}: ${allowed.map(shown).join(', ')}` : rule
  const words = allowed.filter(each => typeof each === 'string')
  return typeof value === 'string' ? named + suggestion(value, words) : named
}

/** An empty text would not be seen in a list. */
function shown(value: unknown): string {
  return value === '' ? '""' : String(value)
}

/** Finding of a validator with the option `verbose`, as far as it is read here. */
interface VerboseFinding {
  readonly instancePath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly parentSchema?: Readonly<Record<string, unknown>> | undefined
  readonly data?: unknown
}

/**
 * Message of a finding about an unknown member or value, which names the nearest known one; undefined for other findings.
 *
 * @param whole the checked value as a sentence names it
 */
export function unknownWordMessage(
  { instancePath, keyword, params, parentSchema, data }: VerboseFinding,
  whole: string,
): string | undefined {
  if (keyword === 'enum') return unknownChoice(data, params.allowedValues as readonly unknown[], true)
  if (keyword !== 'additionalProperties') return undefined
  const known = Object.keys(parentSchema?.properties ?? {})
  return unknownMember(String(params.additionalProperty), known, ownerAt(instancePath, whole))
}

/** The member that a pointer leads to, or the one around it if that is an element of a list; otherwise the whole. */
function ownerAt(instancePath: string, whole: string): string {
  return instancePath.split('/').findLast(step => step !== '' && !/^\d+$/.test(step)) ?? whole
}
