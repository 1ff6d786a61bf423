const SPECIAL_CASING = /[\u0130\u03a3]/

/**
 * Simple Unicode lower-casing: one code point becomes one code point, regardless of context. JavaScript's own differs for two
 * letters: İ becomes two code points, and a Σ at the end of a word becomes a final sigma.
 */
export function simpleLowerCase(text: string): string {
  if (!SPECIAL_CASING.test(text)) return text.toLowerCase()
  return text.replaceAll('\u0130', 'i').replaceAll('\u03a3', '\u03c3').toLowerCase()
}
