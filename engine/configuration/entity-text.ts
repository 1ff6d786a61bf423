import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { jsonText, parseJson } from '../json/json-text.ts'
import type { AnyKind } from './kind.ts'
import type { Seal } from './seal.ts'

/** An encrypted member in its form on the log. */
interface Sealed {
  readonly sealed: string
}

/** The JSON text of a value for the log, with encrypted secrets. */
export function storedText(kind: AnyKind, entity: string, value: unknown, seal: Seal): string {
  if (kind.sealed.length === 0) return jsonText(value as JsonValue)
  const stored: Record<string, unknown> = { ...(value as object) }
  for (const member of kind.sealed) {
    if (stored[member] === undefined) continue
    const text = jsonText(stored[member] as JsonValue)
    stored[member] = { sealed: seal.close(text, place(kind, entity, member)) } satisfies Sealed
  }
  return jsonText(stored as JsonValue)
}

/**
 * The value of a text from the log, with secrets in plain text.
 *
 * @throws SealError when it was written with another secret key
 */
export function clearValue(kind: AnyKind | undefined, entity: string, stored: string, seal: Seal): unknown {
  const value = parseJson(stored)
  if (kind === undefined) return value
  for (const member of kind.sealed) {
    const sealed = (value as JsonObject)[member] as unknown as Sealed | undefined
    if (sealed === undefined) continue
    ;(value as JsonObject)[member] = parseJson(seal.open(sealed.sealed, place(kind, entity, member)))
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
