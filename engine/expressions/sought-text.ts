import type { CostMeter } from './cost-meter.ts'

/** Binary logarithm of the characters compared per unit in a text search: 16. */
const COMPARED_AT_ONCE_BITS = 4
/** Binary logarithm of the characters read or lower-cased per unit: 16. */
export const READ_AT_ONCE_BITS = 4

/** A text to search for in other texts, in time linear in them. */
export class SoughtText {
  readonly #text: string
  /** Length of the longest proper prefix that is also a suffix, for each prefix of the text. */
  #borders: Int32Array | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** @throws BEYOND_BUDGET */
  isIn(text: string, meter: CostMeter): boolean {
    const sought = this.#text.length
    if (sought > text.length) return false
    // The runtime's own search is faster, except for texts designed to slow it down.
    const bound = ((text.length - sought + 1) * sought) >> COMPARED_AT_ONCE_BITS
    const steps = 2 * text.length + sought
    const isPlain = bound <= steps
    meter.spend((text.length >> READ_AT_ONCE_BITS) + 1 + (isPlain ? bound : steps))
    return isPlain ? text.includes(this.#text) : this.#isHeldBy(text)
  }

  /** Search by Knuth, Morris and Pratt. */
  #isHeldBy(text: string): boolean {
    this.#borders ??= bordersOf(this.#text)
    const borders = this.#borders
    const sought = this.#text
    let held = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      while (held > 0 && sought.charCodeAt(held) !== code) held = borders[held - 1] as number
      if (sought.charCodeAt(held) === code) held++
      if (held === sought.length) return true
    }
    return held === sought.length
  }
}

function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length)
  let border = 0
  for (let at = 1; at < text.length; at++) {
    while (border > 0 && text.charCodeAt(border) !== text.charCodeAt(at))
      border = borders[border - 1] as number
    if (text.charCodeAt(border) === text.charCodeAt(at)) border++
    borders[at] = border
  }
  return borders
}
