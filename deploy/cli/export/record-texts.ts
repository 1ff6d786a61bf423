import { stringEnd } from '../../../engine/json/marked-keys.ts'

const BEGINNING = '{"lines":['
const QUOTE = 0x22
const COMMA = 0x2c
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Texts of the records in a piece of lines, as the server sent them. To parse and print each record would take most of
 * the time of an export.
 *
 * @param piece JSON text of one piece of `/v3/search`, compact as the server writes it
 * @returns undefined for a piece without lines
 */
export function recordTexts(piece: string): string[] | undefined {
  if (!piece.startsWith(BEGINNING)) return undefined
  const records: string[] = []
  let [from, depth] = [BEGINNING.length, 0]
  for (let at = from; at < piece.length; at++) {
    const unit = piece.charCodeAt(at)
    if (unit === QUOTE) at = stringEnd(piece, at) - 1
    else if (unit === OBJECT || unit === ARRAY) depth++
    else if (unit === OBJECT_END || unit === ARRAY_END) {
      depth--
      if (depth === 0) records.push(piece.slice(from, at + 1))
      // The bracket of the list itself.
      else if (depth < 0) break
    } else if (unit === COMMA && depth === 0) from = at + 1
  }
  return records
}
