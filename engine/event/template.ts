import { type JsonValue, NumberText } from '../../schemas/json.ts'
import type { Event } from './event.ts'
import { FIELD_PATH_MESSAGE, type Field, fieldAt, isFieldPath, parseFieldPath } from './field-path.ts'

/** A text with references to fields, as in `gate {{.door}}` (components, section 1.4). */
export interface Template {
  /** The template as written. */
  readonly text: string
  /**
   * @param limit number of characters beyond which the text may end
   * @returns undefined when a referenced value is missing, or is an object or array, which counts as missing
   */
  render(event: Event, limit?: number): string | undefined
  /** The first path that cannot be rendered; undefined when the template renders. */
  missingPath(event: Event): string | undefined
  /** Keys of the message that it references as a whole (`.a`, but not `.a.b`). */
  readonly messageKeys: readonly string[]
  /** Number of its references. */
  readonly references: number
}

/** A piece of text, possibly one that depends on the event, or a reference. */
type Part = string | PlainText | Field

/** Text between references that depends on the event, such as its date. */
export type PlainText = (event: Event) => string

/** @returns the mistake in the text, in words for its author; undefined for a valid text */
export function templateProblem(text: string): string | undefined {
  const pieces = split(text)
  if (pieces === undefined) return 'must be a valid template: "{{" without a matching "}}"'
  for (const { path } of pieces) {
    if (path !== undefined && !isFieldPath(path)) return `${FIELD_PATH_MESSAGE}: "${path}"`
  }
  return undefined
}

/**
 * @param plainText compiles the text between references; absent: it is inserted as it is
 * @throws RangeError when the text is not a template: configurations are checked when they are saved
 */
export function compileTemplate(text: string, plainText?: (literal: string) => string | PlainText): Template {
  const problem = templateProblem(text)
  if (problem !== undefined) throw new RangeError(problem)
  const parts = (split(text) ?? []).map(
    ({ literal, path }): Part => (path === undefined ? (plainText?.(literal) ?? literal) : fieldAt(path)),
  )
  const [only] = parts
  if (parts.length <= 1 && (only === undefined || typeof only === 'string')) return constant(only ?? '', text)
  return {
    text,
    render: (event, limit = Number.POSITIVE_INFINITY) => render(parts, event, limit),
    missingPath: event => missingPath(parts, event),
    messageKeys: parts.flatMap(part => (isField(part) ? messageKeyOf(part.text) : [])),
    references: parts.filter(isField).length,
  }
}

/** The single key of a path like `.a`; empty for every other path. */
export function messageKeyOf(path: string): readonly string[] {
  const { root, segments } = parseFieldPath(path) ?? {}
  const [key, ...others] = segments ?? []
  return root === 'message' && typeof key === 'string' && others.length === 0 ? [key] : []
}

function constant(value: string, text: string): Template {
  return { text, render: () => value, missingPath: () => undefined, messageKeys: [], references: 0 }
}

function render(parts: readonly Part[], event: Event, limit: number): string | undefined {
  let text = ''
  for (const part of parts) {
    const piece = textOf(part, event)
    if (piece === undefined) return undefined
    if (text.length <= limit) text += piece
  }
  return text.length > limit ? text.slice(0, limit + 1) : text
}

function missingPath(parts: readonly Part[], event: Event): string | undefined {
  for (const part of parts) {
    if (isField(part) && insertedText(part.read(event)) === undefined) return part.text
  }
  return undefined
}

function isField(part: Part): part is Field {
  return typeof part === 'object'
}

function textOf(part: Part, event: Event): string | undefined {
  if (typeof part === 'string') return part
  return typeof part === 'function' ? part(event) : insertedText(part.read(event))
}

function insertedText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (value === null) return ''
  if (value instanceof NumberText) return value.text
  return typeof value === 'object' || value === undefined ? undefined : String(value)
}

interface Piece {
  readonly literal: string
  /** Path of a reference. */
  readonly path?: string
}

/** @returns undefined when a `{{` has no `}}` */
function split(text: string): Piece[] | undefined {
  const pieces: Piece[] = []
  let at = 0
  while (at < text.length) {
    const open = text.indexOf('{{', at)
    const literal = open === -1 ? text.slice(at) : text.slice(at, open)
    if (literal !== '') pieces.push({ literal })
    if (open === -1) break
    const close = closingBraces(text, open + 2)
    if (close === -1) return undefined
    pieces.push({ literal: '', path: text.slice(open + 2, close).trim() })
    at = close + 2
  }
  return pieces
}

/** A quoted key may contain braces: `{{ ."a}}b" }}`. */
function closingBraces(text: string, from: number): number {
  let quoted = false
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (quoted && character === '\\') at++
    else if (character === '"') quoted = !quoted
    else if (!quoted && character === '}' && text[at + 1] === '}') return at
  }
  return -1
}
