import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { type PieceReader, parsingJson } from '../json/json-in-steps.ts'
import { printingJson } from '../json/json-printing.ts'
import { jsonText, parseJson } from '../json/json-text.ts'
import { finish, type Steps } from '../steps.ts'
import type { AnyKind } from './kind.ts'
import type { Seal } from './seal.ts'

/** An encrypted member in its form on the log. */
interface Sealed {
  readonly sealed: string
}

/** Texts of the program's own: their nesting was bounded when they were sent. */
const OWN_TEXT: PieceReader = {
  maxDepth: Infinity,
  maxMembers: Infinity,
  read: parseJson,
  object: entries => Object.fromEntries(entries),
}

/** Prints the JSON text of a value for the log, with encrypted secrets. A long text takes some milliseconds per megabyte. */
export function* storingText(kind: AnyKind, entity: string, value: unknown, seal: Seal): Steps<string> {
  if (kind.sealed.length === 0) return yield* printingJson(value as JsonValue)
  const stored: Record<string, unknown> = { ...(value as object) }
  for (const member of kind.sealed) {
    if (stored[member] === undefined) continue
    const text = yield* printingJson(stored[member] as JsonValue)
    yield
    const sealed = yield* seal.closing(text, place(kind, entity, member))
    yield
    stored[member] = { sealed } satisfies Sealed
  }
  return jsonText(stored as JsonValue)
}

/**
 * The value of a text from the log, with secrets in plain text.
 *
 * @throws SealError when it was written with another secret key
 */
export function clearValue(kind: AnyKind | undefined, entity: string, stored: string, seal: Seal): unknown {
  return finish(readingValue(kind, entity, stored, seal))
}

/** Like `clearValue`, in steps. @throws SealError */
export function* readingValue(
  kind: AnyKind | undefined,
  entity: string,
  stored: string,
  seal: Seal,
): Steps<unknown> {
  if (kind === undefined || kind.sealed.length === 0) return yield* parsingJson(stored, OWN_TEXT)
  const value = parseJson(stored) as JsonObject
  for (const member of kind.sealed) {
    const sealed = value[member] as unknown as Sealed | undefined
    if (sealed === undefined) continue
    yield
    const text = yield* seal.opening(sealed.sealed, place(kind, entity, member))
    yield
    value[member] = yield* parsingJson(text, OWN_TEXT)
  }
  return value
}

/**
 * Like `clearValue`, but a secret is decrypted when it is read: for callers that read few of them. @throws SealError on that read
 */
export function valueOpenedLate(
  kind: AnyKind | undefined,
  entity: string,
  stored: string,
  seal: Seal,
): unknown {
  const value = parseJson(stored)
  for (const member of kind?.sealed ?? []) {
    const sealed = (value as JsonObject)[member] as unknown as Sealed | undefined
    if (sealed === undefined) continue
    const get = () => parseJson(seal.open(sealed.sealed, place(kind as AnyKind, entity, member)))
    Object.defineProperty(value, member, { get, enumerable: true })
  }
  return value
}

function place(kind: AnyKind, entity: string, member: string): string {
  return `${kind.name} ${entity} ${member}`
}
