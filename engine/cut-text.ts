/** The first characters of a text; a character is a Unicode code point. */
export function cutCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text
  let end = 0
  for (let characters = 0; characters < limit && end < text.length; characters++) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}
