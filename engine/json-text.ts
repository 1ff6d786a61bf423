import type { JsonValue } from '../schemas/json.ts'

const MAY_HOLD_BIG_INTEGER = /\d{16}/
const INTEGER = /^-?\d+$/

/**
 * Parses JSON; integer literals beyond ±(2^53 − 1) become bigint, so that they print with all their digits
 * (components, section 1.2).
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): JsonValue {
  // Only a text with sixteen digits in a row can hold such a number: all others take the plain, fast parse.
  if (!MAY_HOLD_BIG_INTEGER.test(text)) return JSON.parse(text) as JsonValue
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value) || context?.source === undefined)
      return value
    return INTEGER.test(context.source) ? BigInt(context.source) : value
  }) as JsonValue
}

/** Compact JSON text, members in their order; -0 prints as 0. */
export function jsonText(value: JsonValue): string {
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(value, (_key, member: unknown) =>
      typeof member === 'bigint'
        ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(member.toString())
        : member,
    )
  }
}

/** A string as it is, everything else its compact JSON (components, section 7.1). */
export function textForm(value: JsonValue): string {
  return typeof value === 'string' ? value : jsonText(value)
}
