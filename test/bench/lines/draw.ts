/**
 * Random values of one line. They depend on seed and number alone, so that any line can be made without the lines before
 * it. A search knows the contents of a line that another process has sent.
 */
export interface Draw {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number
  pick<T>(choices: readonly T[]): T
  /** True for so many of 100. */
  percent(share: number): boolean
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string
  /** Decimal digits, the first of which is not zero. */
  digits(count: number): string
}

/** Odd, so that neighbouring numbers give states that are far apart. */
const GOLDEN = 0x9e3779b9

export function drawFor(seed: number, number: number): Draw {
  let state = mixed(Math.imul(seed + 1, GOLDEN) ^ mixed(number + 1))
  const next = () => {
    state = (state + GOLDEN) >>> 0
    return mixed(state)
  }
  const below = (limit: number) => Math.floor((next() / 2 ** 32) * limit)
  return {
    below,
    pick: choices => choices[below(choices.length)] as (typeof choices)[number],
    percent: share => below(100) < share,
    hex(digits) {
      let text = ''
      while (text.length < digits) text += next().toString(16).padStart(8, '0')
      return text.slice(0, digits)
    },
    digits(count) {
      let text = String(1 + below(9))
      while (text.length < count) text += String(below(1e6)).padStart(6, '0')
      return text.slice(0, count)
    },
  }
}

/** Finalizer of MurmurHash3: each bit of the input changes half of the output's bits. */
function mixed(value: number): number {
  let hash = value ^ (value >>> 16)
  hash = Math.imul(hash, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
