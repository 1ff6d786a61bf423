import type { JsonValue } from '../../schemas/json.ts'
import { parseExactJson } from '../json/exact-json.ts'

/**
 * Lines of a snapshot, after the first one, which is its format.
 *
 * @throws RangeError for another format, or when the last line has no end
 */
export function* linesIn(bytes: Uint8Array, format: number): Generator<string> {
  const text = textOf(bytes)
  let start = text.indexOf('\n') + 1
  const found = text.slice(0, Math.max(0, start - 1))
  if (found !== String(format)) throw new RangeError(`a snapshot of an unknown format: ${found}`)
  while (start < text.length) {
    const end = text.indexOf('\n', start)
    if (end < 0) throw new RangeError('a line of a snapshot has no end')
    yield text.slice(start, end)
    start = end + 1
  }
}

/** The list that is the content of a line. @throws RangeError when it is not one */
export function listIn(line: string, parse: (text: string) => unknown = parseExactJson): JsonValue[] {
  let value: unknown
  try {
    value = parse(line)
  } catch (cause) {
    throw new RangeError('a line of a snapshot is not JSON', { cause })
  }
  if (!Array.isArray(value)) throw new RangeError('a line of a snapshot is not a list')
  return value as JsonValue[]
}

/** The list that is a whole snapshot, with numbers as doubles. @throws RangeError when the bytes are not such a list */
export function snapshotList(bytes: Uint8Array): unknown[] {
  let value: unknown
  try {
    value = JSON.parse(textOf(bytes))
  } catch (cause) {
    throw new RangeError('a snapshot is not JSON', { cause })
  }
  if (!Array.isArray(value)) throw new RangeError('a snapshot is not a list')
  return value
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
}
