import { cutUtf8 } from '../lines/line-limits.ts'

/** Largest kept text of an event that caused an error, as UTF-8: components, section 4.1. */
const MAX_CAPTURED_BYTES = 16 * 1024
const MOST_BYTES_PER_UNIT = 3

/** The text, or its first 16 KiB, never within a character. */
export function capturedText(text: string): string {
  if (text.length <= MAX_CAPTURED_BYTES / MOST_BYTES_PER_UNIT) return text
  const bytes = Buffer.from(text.slice(0, MAX_CAPTURED_BYTES + 1))
  const end = cutUtf8(bytes, 0, bytes.length, MAX_CAPTURED_BYTES)
  return end === bytes.length ? text : bytes.toString('utf8', 0, end)
}

/** The text as it was cut before the fourteenth behaviour: by units of UTF-16, of which one can be half of a character. */
export function capturedUnits(text: string): string {
  return text.slice(0, MAX_CAPTURED_BYTES)
}
