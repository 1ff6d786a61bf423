const SPECIAL_CASING = /[\u0130\u03a3]/

/**
 * Simple Unicode lower-casing: one code point for one, whatever stands around it. JavaScript's own differs in
 * two letters: it makes two code points of İ, and a final sigma of a Σ that ends a word.
 */
export function simpleLowerCase(text: string): string {
  if (!SPECIAL_CASING.test(text)) return text.toLowerCase()
  return text.replaceAll('\u0130', 'i').replaceAll('\u03a3', '\u03c3').toLowerCase()
}
