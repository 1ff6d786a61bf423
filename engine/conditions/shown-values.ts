import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { textForm } from '../json/json-text.ts'

/** Characters of a value that is shown. */
export const MAX_VALUE_CHARACTERS = 1_024
/** Characters of all values that one explanation shows. */
export const MAX_SHOWN_CHARACTERS = 16 * 1024
/** Characters that are counted for a scalar that is neither a text nor an integer with many digits. */
const SCALAR_CHARACTERS = 8

/**
 * Values of one event that an explanation shows. A thousand comparisons may all read one field with a value of a megabyte,
 * which must not be repeated for each. A long value is therefore cut, and the values are bounded together.
 */
export class ShownValues {
  #left = MAX_SHOWN_CHARACTERS

  /** Members that show a value: `actual`, and `cut` where only its beginning is shown, as a text, or nothing. */
  members(actual: JsonValue | undefined): JsonObject {
    if (actual === undefined) return {}
    const room = Math.min(this.#left, MAX_VALUE_CHARACTERS)
    const left = leftAfter(actual, room)
    if (left >= 0) {
      this.#left -= room - left
      return { actual }
    }
    if (room === 0) return { cut: true }
    this.#left -= room
    return { actual: textForm(actual).slice(0, room), cut: true }
  }
}

/**
 * Characters that remain of a room after a value; below 0: the value is too long. The rest of a long value is not read.
 *
 * @param left characters before the value
 */
function leftAfter(value: JsonValue, left: number): number {
  if (typeof value === 'string') return left - value.length
  if (Array.isArray(value)) return leftAfterElements(value, left)
  if (isJsonObject(value)) return leftAfterMembers(value, left)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null)
    return left - SCALAR_CHARACTERS
  return left - String(value).length
}

function leftAfterElements(elements: readonly JsonValue[], left: number): number {
  let rest = left
  for (const element of elements) {
    rest = leftAfter(element, rest - 1)
    if (rest < 0) break
  }
  return rest
}

function leftAfterMembers(object: JsonObject, left: number): number {
  let rest = left
  for (const key in object) {
    rest = leftAfter(object[key] as JsonValue, rest - key.length)
    if (rest < 0) break
  }
  return rest
}
