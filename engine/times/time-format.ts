import type { Instant } from './instant.ts'
import { blank, COMPOSED_MARKS, literal, TIME_MARKS, type TimeMark } from './time-marks.ts'
import { instantOfParts, type TimePart, TimeParts } from './time-parts.ts'
import { NOT_READ } from './time-readers.ts'

/**
 * A form in which times are written, from a strftime text (components, section 9.3). The same for all places and
 * languages: names are English, and a time without a zone is in UTC.
 */
export interface TimeFormat {
  /** Whether it counts from 1970 on: such times are also kept as numbers. */
  readonly isEpoch: boolean
  /**
   * Reads a whole text.
   *
   * @param nowMs log time, for times without a year
   * @returns undefined when the text is not of this form, or names no moment of the years 0 to 9999
   */
  read(text: string, nowMs: number): Instant | undefined
  /**
   * Writes a time in UTC: numbers at their full width, `%.f` with 0, 3, 6 or 9 digits, all other fractions cut off at
   * theirs, `%z` and `%#z` as +0000, `%:z` as +00:00, `%Z` as UTC, `%+` in the canonical form.
   */
  write(instant: Instant): string
}

const MAX_FORMAT_LENGTH = 200
const MARK_OR_TEXT = /%(?:\.?[369]?f|[:#]z|.|$)|\s+|[^%\s]+/gsu

/** Parts that say nothing without one of the others. */
const NEEDED: readonly (readonly [part: TimePart, oneOf: readonly TimePart[], problem: string])[] = [
  ['hourOfHalf', ['half'], '%I and %l need %p'],
  ['half', ['hour', 'hourOfHalf'], '%p needs an hour'],
  ['minute', ['hour', 'hourOfHalf'], '%M needs an hour'],
  ['second', ['minute'], '%S needs %M'],
  ['nanosecond', ['second'], 'a fraction needs %S or %s'],
]

/**
 * Numbers that are written with two digits are read with one, too, except for `%y`; those of `%+` have their full width.
 *
 * @throws RangeError with a sentence, when the text has a mark that is none, or when what has this form would not say a
 *   date, or would say a minute without an hour
 */
export function compileTimeFormat(format: string): TimeFormat {
  if (format.length > MAX_FORMAT_LENGTH)
    throw new RangeError(`it has more than ${MAX_FORMAT_LENGTH} characters`)
  const marks = marksOf(format)
  const said = new Set(marks.flatMap(({ says }) => says))
  const problem = problemOf(said)
  if (problem !== undefined) throw new RangeError(problem)
  return {
    isEpoch: said.has('epochSecond'),
    read: (text, nowMs) => {
      const parts = new TimeParts()
      let at = 0
      for (const { read } of marks) {
        at = read(text, at, parts)
        if (at === NOT_READ) return undefined
      }
      return at === text.length ? instantOfParts(parts, nowMs) : undefined
    },
    write: instant => {
      const date = new Date(instant.epochMs)
      return marks.map(({ write }) => write(instant, date)).join('')
    },
  }
}

function marksOf(format: string): readonly TimeMark[] {
  return (format.match(MARK_OR_TEXT) ?? []).flatMap(text => {
    if (!text.startsWith('%')) return text.trim() === '' ? blank(text) : literal(text)
    const composed = COMPOSED_MARKS.get(text)
    if (composed !== undefined) return marksOf(composed)
    const mark = TIME_MARKS.get(text)
    if (mark === undefined)
      throw new RangeError(text === '%' ? 'it ends in a lone %' : `it has no mark ${text}`)
    return mark
  })
}

function problemOf(said: ReadonlySet<TimePart>): string | undefined {
  if (said.has('epochSecond')) return undefined
  if (!said.has('dayOfYear') && !(said.has('month') && said.has('day'))) return 'it has no date'
  return NEEDED.find(([part, oneOf]) => said.has(part) && !oneOf.some(other => said.has(other)))?.[2]
}
