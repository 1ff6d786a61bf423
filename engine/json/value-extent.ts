import { isJsonObject, type JsonValue } from '../../schemas/json.ts'
import { entriesOf } from './ordered-object.ts'

/** Characters that are counted together. */
const COUNTED_AT_ONCE = 4_096
/** Characters of JSON text around a value or a key, or those of a short value. */
const FRAME_CHARACTERS = 4

/**
 * Walks through a value before it is copied. Values share their parts, so a small amount of memory can be a long text.
 *
 * @param count receives the approximate length of its JSON text in parts, in characters; it can end the walk by an exception
 * @returns levels of arrays and objects; 0 for a scalar
 */
export function walkValue(value: JsonValue, count: (characters: number) => void): number {
  let levels = 0
  let characters = 0
  const waiting: JsonValue[] = [value]
  const depths: number[] = [0]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const depth = depths.pop() as number
    characters += FRAME_CHARACTERS
    if (typeof next === 'string') {
      characters += next.length
    } else if (Array.isArray(next)) {
      levels = Math.max(levels, depth + 1)
      for (const element of next) {
        waiting.push(element)
        depths.push(depth + 1)
      }
    } else if (isJsonObject(next)) {
      levels = Math.max(levels, depth + 1)
      for (const [key, member] of entriesOf(next)) {
        characters += key.length + FRAME_CHARACTERS
        waiting.push(member)
        depths.push(depth + 1)
      }
    }
    if (characters < COUNTED_AT_ONCE) continue
    count(characters)
    characters = 0
  }
  count(characters)
  return levels
}
