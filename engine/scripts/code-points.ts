/**
 * Texts as code points: components, section 5.11. A lone surrogate is a code point of its own. Positions in code points and in
 * UTF-16 units are the same as long as a text has no surrogates, which most texts do not have.
 */

const SURROGATE = /[\ud800-\udfff]/

/** Whether positions in code points and in units are the same. */
export function isPlain(text: string): boolean {
  return !SURROGATE.test(text)
}

/** Number of code points. */
export function codePointsOf(text: string): number {
  if (isPlain(text)) return text.length
  let count = 0
  let wasHigh = false
  for (let unit = 0; unit < text.length; unit++) {
    const code = text.charCodeAt(unit)
    // The second half of a pair does not count.
    if (!(wasHigh && (code & 0xfc00) === 0xdc00)) count++
    wasHigh = (code & 0xfc00) === 0xd800
  }
  return count
}

/** Position in units of a code point; the length of the text when it has not as many. */
export function unitOf(text: string, codePoint: number): number {
  if (codePoint <= 0) return 0
  if (isPlain(text)) return Math.min(codePoint, text.length)
  let unit = 0
  for (let left = codePoint; left > 0 && unit < text.length; left--) unit += unitsAt(text, unit)
  return Math.min(unit, text.length)
}

/** Number of code points before a position in units. */
export function codePointOf(text: string, unit: number): number {
  return codePointsOf(text.slice(0, unit))
}

/** The code point at a position in units; '' at the end. */
export function characterAt(text: string, unit: number): string {
  return text.slice(unit, unit + unitsAt(text, unit))
}

/** 2 for a pair of surrogates, otherwise 1. */
function unitsAt(text: string, unit: number): number {
  const code = text.charCodeAt(unit)
  if (!(code >= 0xd800 && code <= 0xdbff)) return 1
  const next = text.charCodeAt(unit + 1)
  return next >= 0xdc00 && next <= 0xdfff ? 2 : 1
}
