import { epochSecondOf, instantOf, nanosecondOf } from '../../../times/instant.ts'
import type { TimeFormat } from '../../../times/time-format.ts'

const DIGITS = /^-?\d{1,21}$/
const NANOSECONDS_PER_SECOND = 1_000_000_000n

/** Formats by name that count from 1970 and have no mark (components, section 9.3: our choice). */
export const EPOCH_FORMATS: ReadonlyMap<string, TimeFormat> = new Map([
  ['epoch_ms', epochFormat(1_000_000n)],
  ['epoch_ns', epochFormat(1n)],
])

function epochFormat(nanosecondsPerUnit: bigint): TimeFormat {
  return {
    isEpoch: true,
    read: text => {
      if (!DIGITS.test(text)) return undefined
      const nanoseconds = BigInt(text) * nanosecondsPerUnit
      const rest = nanoseconds % NANOSECONDS_PER_SECOND // Negative before 1970.
      const nanosecond = rest < 0n ? rest + NANOSECONDS_PER_SECOND : rest
      return instantOf(Number((nanoseconds - nanosecond) / NANOSECONDS_PER_SECOND), Number(nanosecond))
    },
    write: instant => {
      const seconds = BigInt(epochSecondOf(instant)) * NANOSECONDS_PER_SECOND
      return String((seconds + BigInt(nanosecondOf(instant))) / nanosecondsPerUnit)
    },
  }
}
