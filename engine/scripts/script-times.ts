import { canonicalTimeOf, epochSecondOf, type Instant } from '../times/instant.ts'
import { compileTimeFormat } from '../times/time-format.ts'

/** Forms of times that scripts read: components, section 5.11. */
const FORMATS = [
  ...['%+', '%Y-%m-%d %T%.f%#z', '%Y-%m-%d %T%.f', '%d/%b/%Y:%T%.f %z', '%Y/%m/%d %T%.f'],
  '%Y/%m/%d %T%.f%#z',
].map(compileTimeFormat)

/** Longer texts are not such times. */
const MAX_LENGTH = 200

/** @returns undefined when the text has none of the forms */
export function timeIn(text: string): Instant | undefined {
  if (text.length > MAX_LENGTH) return undefined
  for (const format of FORMATS) {
    // Every form has a year, so log time is not needed.
    const instant = format.read(text, 0)
    if (instant !== undefined) return instant
  }
  return undefined
}

/** The canonical form of a time in one of the forms. */
export function canonicalTimeIn(text: string): string | undefined {
  const instant = timeIn(text)
  return instant && canonicalTimeOf(instant)
}

/** A time as a number of units since 1970; null: there is no such unit. */
export function numberOfTime(instant: Instant, unit: string): number | bigint | null {
  switch (unit) {
    case 'seconds':
      return epochSecondOf(instant)
    case 'milliseconds':
      return instant.epochMs
    case 'nanoseconds':
      return safeInteger(BigInt(instant.epochMs) * 1_000_000n + BigInt(instant.nanos))
    default:
      return null
  }
}

/** An integer in the form that it has everywhere: as a bigint only where a double would lose digits. */
export function safeInteger(integer: bigint): number | bigint {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : integer
}
