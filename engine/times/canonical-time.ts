import { MINUTE_MS } from './duration.ts'
import { plainTextMs, WHOLE_SECONDS_LENGTH } from './utc-text.ts'

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/**
 * The canonical time form of components, section 1.2: UTC, with the fewest fraction digits (0, 3, 6 or 9) that keep the value.
 *
 * @param text RFC 3339, any offset
 * @returns undefined when the text is not such a time
 */
export function canonicalTime(text: string): string | undefined {
  if (isCanonical(text)) return text
  const match = RFC_3339.exec(text)
  if (match === null) return undefined
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second,
    fraction = '',
    sign,
    offsetHour = '0',
    offsetMinute = '0',
  ] = match
  const dateMs = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  // Date.parse reads 30 February as 1 March; RFC 3339 does not allow it.
  if (Number.isNaN(dateMs) || new Date(dateMs).getUTCDate() !== Number(day)) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined
  const offsetMinutes = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1)
  const minutes = Number(hour) * 60 + Number(minute) - offsetMinutes
  const moment = new Date(dateMs + minutes * MINUTE_MS + Number(second) * 1000)
  const wholeSeconds = moment.toISOString().slice(0, -'.000Z'.length)
  // An offset may lead beyond the years that four digits can express.
  if (wholeSeconds.length !== 'YYYY-MM-DDTHH:MM:SS'.length) return undefined
  const digits = fraction.replace(/0+$/, '')
  if (digits === '') return `${wholeSeconds}Z`
  return `${wholeSeconds}.${digits.padEnd(Math.ceil(digits.length / 3) * 3, '0')}Z`
}

/** Whether the text has the canonical form already. Some that have it are not recognised. */
function isCanonical(text: string): boolean {
  const ms = plainTextMs(text)
  return !Number.isNaN(ms) && (text.length === WHOLE_SECONDS_LENGTH || !text.endsWith('.000Z'))
}
