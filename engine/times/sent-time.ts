import { MINUTE_MS } from './duration.ts'

/** Digits, possibly with a fraction. */
export const PLAIN_NUMBER = /^(\d+)(?:\.(\d+))?$/
const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:[Zz]|([+-])(\d\d):?(\d\d))?$/

/**
 * Reads a number by its magnitude: seconds below 1e11, milliseconds below 1e14, microseconds below 1e17, nanoseconds
 * above. Works on the digits, because a double cannot represent those of nanoseconds.
 *
 * @returns whole milliseconds (the rest is cut), or undefined when it is not a number, zero or negative
 */
export function numberToMs(source: string): number | undefined {
  const [, digits, fraction = ''] = PLAIN_NUMBER.exec(plainDecimal(source)) ?? []
  if (digits === undefined) return undefined
  const whole = digits.replace(/^0+/, '')
  const ms = Number(wholeMs(whole, fraction))
  return ms > 0 ? ms : positiveBelowOneMs(whole, fraction)
}

function wholeMs(whole: string, fraction: string): string {
  if (whole.length <= 11) return whole + fraction.slice(0, 3).padEnd(3, '0')
  if (whole.length <= 14) return whole
  return whole.slice(0, whole.length <= 17 ? -3 : -6)
}

/** 0.0004 is a time after 1970 (and far too old); 0.0 is none. */
function positiveBelowOneMs(whole: string, fraction: string): number | undefined {
  return /[1-9]/.test(whole + fraction) ? 0 : undefined
}

/** 1.7e9 and the like without the exponent. */
function plainDecimal(source: string): string {
  if (!/[eE]/.test(source)) return source
  const value = Number(source)
  return value < 1e21 ? value.toFixed(6) : ''
}

/** @returns undefined when the text is not a date-time of RFC 3339; without an offset it is read as UTC */
export function dateTimeToMs(text: string): number | undefined {
  const parts = RFC_3339.exec(text)
  if (parts === null) return undefined
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  if (hour > 23 || minute > 59 || second > 60) return undefined // 60: a leap second is the next minute's first
  const offset = offsetMs(parts[8], Number(parts[9] ?? 0), Number(parts[10] ?? 0))
  if (offset === undefined) return undefined
  const fractionMs = Number((parts[7] ?? '').slice(0, 3).padEnd(3, '0'))
  return date.getTime() + (hour * 60 + minute) * MINUTE_MS + second * 1000 + fractionMs - offset
}

function offsetMs(sign: string | undefined, hours: number, minutes: number): number | undefined {
  if (hours > 23 || minutes > 59) return undefined
  return (hours * 60 + minutes) * (sign === '-' ? -MINUTE_MS : MINUTE_MS)
}
