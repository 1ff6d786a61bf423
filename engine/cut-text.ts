/**
 * The first characters of a text, never half of a surrogate pair.
 *
 * @param limit in UTF-16 units, as the length of a string is
 */
export function cutCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text
  const last = text.charCodeAt(limit - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, splitsPair ? limit - 1 : limit)
}
