/** In front of every key of a marked text: no key that begins so looks like an index of an array. */
export const KEY_MARK = '#'

/** JSON text with `KEY_MARK` in front of every key of an object. @param text valid JSON */
export function withMarkedKeys(text: string): string {
  let marked = ''
  let copied = 0
  for (let at = text.indexOf('"'), end = at; at !== -1; at = text.indexOf('"', end)) {
    end = stringEnd(text, at)
    if (text[skipBlanks(text, end)] !== ':') continue
    marked += text.slice(copied, at + 1) + KEY_MARK
    copied = at + 1
  }
  return marked + text.slice(copied)
}

export function skipBlanks(text: string, from: number): number {
  let at = from
  for (;;) {
    const unit = text.charCodeAt(at)
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return at
    at++
  }
}

/** Behind the closing quote of the string that begins at `from`; the text's end when there is none. */
export function stringEnd(text: string, from: number): number {
  let at = from
  for (;;) {
    at = text.indexOf('"', at + 1)
    if (at < 0) return text.length
    let backslashes = 0
    while (text[at - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return at + 1
  }
}
