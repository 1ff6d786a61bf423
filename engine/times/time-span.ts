import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './duration.ts'

/** Units, the longest first: the parts of a span follow in this order. */
const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['w', 7 * DAY_MS],
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['min', MINUTE_MS],
  ['m', MINUTE_MS],
  ['s', SECOND_MS],
  ['ms', 1],
]

/**
 * Reads a length of time such as `90s`, `15m`, `1.5h`, `1d12h` or `500ms`. Each unit occurs at most once, and longer ones
 * come first. A day has 24 hours.
 *
 * @returns milliseconds, not rounded; undefined for other texts
 */
export function timeSpanMs(text: string): number | undefined {
  const part = /(\d{1,15}(?:\.\d{1,15})?)\s?(ms|min|[smhdw])\s?/y
  let [ms, lastUnitMs] = [0, Number.POSITIVE_INFINITY]
  while (part.lastIndex < text.length) {
    const match = part.exec(text)
    if (match === null) return undefined
    const unitMs = UNITS.find(([name]) => name === match[2])?.[1] as number
    if (unitMs >= lastUnitMs) return undefined
    ms += Number(match[1]) * unitMs
    lastUnitMs = unitMs
  }
  return lastUnitMs === Number.POSITIVE_INFINITY ? undefined : ms
}
