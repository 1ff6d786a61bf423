/**
 * Limits of ingestion, section 1.3, and functions that cut texts to them. They also hold for texts from pipelines. A
 * character is a Unicode code point.
 */

/** UTF-8 bytes of a line's text. */
export const LINE_LIMIT_BYTES = 16_384
/** UTF-8 bytes of meta: the JSON text of an object, the text itself of a string. */
export const META_LIMIT_BYTES = 32_768
export const HOST_LIMIT_CHARACTERS = 256
export const APP_LIMIT_CHARACTERS = 512
export const LEVEL_LIMIT_CHARACTERS = 80
const TAG_LIMIT_CHARACTERS = 80

/** The text, or its first `limit` characters. */
export function cutCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text
  let end = 0
  for (let characters = 0; characters < limit && end < text.length; characters++)
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** End of the UTF-8 text between `start` and `end` when it is cut to `limit` bytes, never within a character. */
export function cutUtf8(bytes: Uint8Array, start: number, end: number, limit: number): number {
  if (end - start <= limit) return end
  let cut = start + limit
  while (cut > start && ((bytes[cut] as number) & 0xc0) === 0x80) cut--
  return cut
}

/** Trims and cuts tags, and drops empty ones and repeats (also of `known`): ingestion, section 1.1, tags. */
export function cleanTags(tags: Iterable<string>, known?: ReadonlySet<string>): string[] {
  const clean = new Set<string>()
  for (const tag of tags) {
    const cut = cutCharacters(tag.trim(), TAG_LIMIT_CHARACTERS)
    if (cut !== '' && known?.has(cut) !== true) clean.add(cut)
  }
  return [...clean]
}
