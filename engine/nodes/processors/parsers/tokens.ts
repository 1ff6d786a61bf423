import type { JsonValue } from '../../../../schemas/json.ts'
import { defineParser, MAX_PARTS } from './define-parser.ts'

const CLOSING: Readonly<Record<string, string>> = { '"': '"', '[': ']' }
const BLANK = /\s/

/** Words between blanks. Quotes and brackets hold a word together, and are left out. */
export const tokens = defineParser({
  id: 'parse_tokens',
  compile: () => tokensOf,
  examples: [
    {
      text: 'a "b c" [d e] - "" f\\g',
      value: ['a', 'b c', 'd e', null, null, 'f\\g'],
    },
    { text: '"say \\"yes\\"" [a\\]b]', value: ['say \\"yes\\"', 'a\\]b'] },
    { text: 'open "quote', value: ['open', '"quote'] },
    { text: '', value: [] },
  ],
})

/** @returns undefined when there are too many */
function tokensOf(text: string): JsonValue[] | undefined {
  const found: JsonValue[] = []
  /** Marks that close nothing in the rest of the text: they need not be looked for again. */
  const missing = new Set<string>()
  let at = 0
  for (;;) {
    while (at < text.length && BLANK.test(text[at] as string)) at++
    if (at >= text.length) return found
    if (found.length === MAX_PARTS) return undefined
    const closing = CLOSING[text[at] as string]
    const end = closing === undefined || missing.has(closing) ? -1 : closedAt(text, at + 1, closing)
    if (end >= 0) {
      found.push(tokenValue(text.slice(at + 1, end)))
      at = end + 1
      continue
    }
    if (closing !== undefined) missing.add(closing)
    const start = at
    while (at < text.length && !BLANK.test(text[at] as string)) at++
    found.push(tokenValue(text.slice(start, at)))
  }
}

/** Place of the closing mark; -1 without one. */
function closedAt(text: string, from: number, closing: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === closing) return at
  }
  return -1
}

function tokenValue(token: string): string | null {
  return token === '' || token === '-' ? null : token
}
