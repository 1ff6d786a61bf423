/**
 * The first words between single blanks. A word may be in quotes, and then contain blanks; a backslash keeps a quote within it.
 *
 * @param limit number of words after which the rest is not looked at
 */
export function splitWords(text: string, limit: number): string[] {
  const words: string[] = []
  let at = 0
  while (at <= text.length && words.length < limit) {
    const quoteEnd = text[at] === '"' ? closingQuote(text, at + 1) : -1
    // A quote counts only where a word ends with it.
    const isQuoted = quoteEnd >= 0 && (quoteEnd + 1 === text.length || text[quoteEnd + 1] === ' ')
    const blank = text.indexOf(' ', isQuoted ? quoteEnd + 1 : at)
    const end = blank < 0 ? text.length : blank
    words.push(isQuoted ? text.slice(at + 1, quoteEnd) : text.slice(at, end))
    // Each further quote without an end would be looked for in the rest of the text.
    if (text[at] === '"' && quoteEnd < 0)
      return [...words, ...text.slice(end + 1).split(' ', limit - words.length)]
    at = end + 1
  }
  return words
}

function closingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return -1
}
