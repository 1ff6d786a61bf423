/** Mark before every key of a marked text: a key that begins with it never looks like an array index. */
const KEY_MARK = '#'
/** Mark for a key that cannot be written without an escape; its number follows. */
const NUMBER_MARK = '%'
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Escaped quotes behind which each character is looked at: a search for the next one takes as long as ten to twenty looks. */
const FOUND_QUOTES = 8
const MAY_NEED_ESCAPE = /["\\\p{Cc}]/u

/** Marks the object keys of JSON texts so that each can be written without escapes, and restores them. */
export class MarkedKeys {
  /** Keys that cannot be written without an escape, by number. */
  readonly #keys: string[] = []
  readonly #numbers = new Map<string, number>()

  /** JSON text in which every object key is marked and written without escapes. @param text valid JSON */
  markedText(text: string): string {
    let marked = ''
    let copied = 0
    for (let at = text.indexOf('"'), end = at; at !== -1; at = text.indexOf('"', end)) {
      end = stringEnd(text, at)
      if (text[skipBlanks(text, end)] !== ':') continue
      const written = text.slice(at + 1, end - 1)
      const key = written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written
      marked += text.slice(copied, at + 1) + this.marked(key)
      copied = end - 1
    }
    return marked + text.slice(copied)
  }

  /** Marked form of a key; the same for every way of writing the key. */
  marked(key: string): string {
    if (!MAY_NEED_ESCAPE.test(key)) return KEY_MARK + key
    let number = this.#numbers.get(key)
    if (number === undefined) {
      number = this.#keys.push(key) - 1
      this.#numbers.set(key, number)
    }
    return NUMBER_MARK + number
  }

  /** @param marked result of `marked` */
  unmarked(marked: string): string {
    const rest = marked.slice(1)
    return marked.startsWith(KEY_MARK) ? rest : (this.#keys[Number(rest)] as string)
  }
}

export function skipBlanks(text: string, from: number): number {
  let at = from
  for (;;) {
    const unit = text.charCodeAt(at)
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return at
    at++
  }
}

/**
 * Position after the closing quote of the string that begins at `from`; the end of the text when it is missing.
 *
 * @param limit the string is not followed beyond this position: the result is then greater, and is not its end
 */
export function stringEnd(text: string, from: number, limit = text.length): number {
  let at = from
  for (let found = 0; found < FOUND_QUOTES; found++) {
    at = text.indexOf('"', at + 1)
    if (at < 0) return text.length
    if (at >= limit) return at + 1
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at + 1
  }
  for (at++; at < text.length; at++) {
    if (at >= limit) return at + 1
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) return at + 1
    if (unit === BACKSLASH) at++
  }
  return text.length
}
