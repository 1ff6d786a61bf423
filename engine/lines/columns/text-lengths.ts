/** Lengths of texts as varints before their bytes: batches on the log and blocks of the store have the same form. */

/** Maximum number of bytes of a length. */
export const MAX_LENGTH_BYTES = 5

/** @returns the place behind the length; the space for `lengthSize(length)` bytes must be reserved */
export function writeLength(target: Uint8Array, at: number, length: number): number {
  let rest = length
  let end = at
  while (rest >= 0x80) {
    target[end++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  target[end++] = rest
  return end
}

/** Number of bytes of a length. */
export function lengthSize(length: number): number {
  if (length < 0x80) return 1
  if (length < 0x4000) return 2
  if (length < 0x200000) return 3
  return length < 0x10000000 ? 4 : 5
}

/**
 * Finds the ends of the texts of a column by one scan of their lengths.
 *
 * @param ends receives the place behind each text; its length is the number of texts
 * @throws RangeError when the last text does not end with the column
 */
export function scanTextEnds(column: Uint8Array, ends: Uint32Array): void {
  let at = 0
  for (let index = 0; index < ends.length; index++) {
    let byte = column[at++] as number
    let length = byte & 0x7f
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = column[at++] as number
      length |= (byte & 0x7f) << shift
    }
    at += length
    ends[index] = at
  }
  assertEndsWith(at, column)
}

/**
 * Finds the texts of a column by one scan of their lengths.
 *
 * @param starts receives the first byte of each text; its length is the number of texts
 * @param ends receives the place behind each text
 * @throws RangeError when the last text does not end with the column
 */
export function scanTexts(column: Uint8Array, starts: Uint32Array, ends: Uint32Array): void {
  let at = 0
  for (let index = 0; index < starts.length; index++) {
    let length = 0
    let shift = 0
    for (;;) {
      const byte = column[at++]
      if (byte === undefined) throw new RangeError('text column ends inside a length')
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
      shift += 7
    }
    starts[index] = at
    at += length
    ends[index] = at
  }
  assertEndsWith(at, column)
}

function assertEndsWith(at: number, column: Uint8Array): void {
  if (at !== column.length) throw new RangeError(`text column of ${column.length} bytes ends at ${at}`)
}
