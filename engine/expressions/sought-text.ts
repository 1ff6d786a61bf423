import type { CostMeter } from './cost-meter.ts'

/** Characters that are compared for one unit, when a text is looked for: 16. */
const COMPARED_AT_ONCE_BITS = 4
/** Characters for one unit, where all that happens to them is that they are read, or made lower case: 16. */
export const READ_AT_ONCE_BITS = 4

/** A text that is looked for in others, in time linear in them. */
export class SoughtText {
  readonly #text: string
  /** For each beginning of the text, the length of the longest that it ends with. */
  #borders: Int32Array | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** @throws BEYOND_BUDGET */
  isIn(text: string, meter: CostMeter): boolean {
    const sought = this.#text.length
    if (sought > text.length) return false
    // The runtime's own way is the faster one, but for texts that are made to slow it down.
    const bound = ((text.length - sought + 1) * sought) >> COMPARED_AT_ONCE_BITS
    const steps = 2 * text.length + sought
    const isPlain = bound <= steps
    meter.spend((text.length >> READ_AT_ONCE_BITS) + 1 + (isPlain ? bound : steps))
    return isPlain ? text.includes(this.#text) : this.#isHeldBy(text)
  }

  /** Knuth, Morris and Pratt. */
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
