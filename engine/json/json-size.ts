import { type JsonObject, type JsonValue, NumberText } from '../../schemas/json.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Control characters with an escape of their own: backspace, tab, line feed, form feed, carriage return. */
const SHORT_ESCAPES = (1 << 8) | (1 << 9) | (1 << 10) | (1 << 12) | (1 << 13)
const LONG_ESCAPE = String.raw`\u0000`
/** Bytes by which the escape of an ASCII character is longer than the character. */
const ESCAPE_BYTES = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  if (unit === QUOTE || unit === BACKSLASH) return 1
  if (unit >= 0x20) return 0
  return (SHORT_ESCAPES >> unit) & 1 ? 1 : LONG_ESCAPE.length - 1
})

/** A character that may take more than a byte. */
const LONGER = /[^ !#-[\]-~]/
/** An expression looks at the characters of longer texts in a fraction of the time of a loop. */
const LOOPED_LENGTH = 40

/** Length of `textForm(value)` in UTF-8 bytes, computed without building that text. */
export function textFormBytes(value: JsonValue): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : jsonBytes(value)
}

/** Length of the JSON text of a value in UTF-8 bytes. */
export function jsonBytes(value: JsonValue): number {
  switch (typeof value) {
    case 'string':
      return stringBytes(value)
    case 'number':
      return numberBytes(value)
    case 'bigint':
      return String(value).length
    case 'boolean':
      return value ? 'true'.length : 'false'.length
    default:
      if (value === null) return 'null'.length
      if (Array.isArray(value)) return arrayBytes(value)
      return value instanceof NumberText ? value.text.length : objectBytes(value)
  }
}

function numberBytes(value: number): number {
  // `| 0` takes zero with a sign for zero, whose text is the same.
  if (value !== (value | 0) || value < 0) return Number.isFinite(value) ? String(value).length : 'null'.length
  let digits = 1
  for (let bound = 10; value >= bound; bound *= 10) digits++
  return digits
}

function arrayBytes(elements: readonly JsonValue[]): number {
  let bytes = '[]'.length + Math.max(0, elements.length - 1)
  for (const element of elements) bytes += jsonBytes(element)
  return bytes
}

/** A loop over names and members of an object does not make a list of them. */
function objectBytes(object: JsonObject): number {
  let bytes = '{'.length
  for (const key in object) bytes += stringBytes(key) + ':,'.length + jsonBytes(object[key] as JsonValue)
  return bytes === '{'.length ? '{}'.length : bytes
}

function stringBytes(text: string): number {
  const { length } = text
  let bytes = length + '""'.length
  if (length > LOOPED_LENGTH && !LONGER.test(text)) return bytes
  for (let index = 0; index < length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) bytes += ESCAPE_BYTES[unit] as number
    else if (unit < 0x800) bytes++
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 2
    else if (unit < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1))) {
      // Two units become four bytes.
      bytes += 2
      index++
    } else bytes += LONG_ESCAPE.length - 1
  }
  return bytes
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
