import type { Instant } from './instant.ts'
import { blank, COMPOSED_MARKS, literal, TIME_MARKS, type TimeMark } from './time-marks.ts'
import { instantOfParts, type TimePart, TimeParts } from './time-parts.ts'
import { NOT_READ } from './time-readers.ts'

/**
 * A form of written times, from a strftime text (components, section 9.3). It is the same for all places and languages:
 * names are English, and a time without a zone is in UTC.
 */
export interface TimeFormat {
  /** Whether it counts from 1970: such times are also kept as numbers. */
  readonly isEpoch: boolean
  /**
   * Reads a whole text.
   *
   * @param nowMs log time, for times without a year
   * @returns undefined when the text does not have this form, or is not a moment of the years 0 to 9999
   */
  read(text: string, nowMs: number): Instant | undefined
  /**
   * Writes a time in UTC. Numbers have their full width. `%.f` has 0, 3, 6 or 9 digits; other fractions are cut off at
   * their width. `%z` and `%#z` are +0000, `%:z` is +00:00, `%Z` is UTC, and `%+` is the canonical form.
   */
  write(instant: Instant): string
}

const MAX_FORMAT_LENGTH = 200
const MARK_OR_TEXT = /%(?:\.?[369]?f|[:#]z|.|$)|\s+|[^%\s]+/gsu

/** Parts that have no meaning without one of the others. */
const NEEDED: readonly (readonly [part: TimePart, oneOf: readonly TimePart[], problem: string])[] = [
  ['hourOfHalf', ['half'], '%I and %l need %p'],
  ['half', ['hour', 'hourOfHalf'], '%p needs an hour'],
  ['minute', ['hour', 'hourOfHalf'], '%M needs an hour'],
  ['second', ['minute'], '%S needs %M'],
  ['nanosecond', ['second'], 'a fraction needs %S or %s'],
]

/**
 * Compiles a format. Numbers with two digits are also read with one, except for `%y`; those of `%+` have their full
 * width.
 *
 * @throws RangeError with a sentence, for an unknown mark, or for a form whose times lack a date, or have a minute
 *   without an hour
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
    write: writing(marks),
  }
}

/**
 * Compiles a format for writing alone, as part of another text: unlike a format that is also read, it needs no date.
 *
 * @throws RangeError with a sentence, for an unknown mark
 */
export function compileTimeText(format: string): TimeFormat['write'] {
  return writing(marksOf(format))
}

function writing(marks: readonly TimeMark[]): TimeFormat['write'] {
  return instant => {
    const date = new Date(instant.epochMs)
    return marks.map(({ write }) => write(instant, date)).join('')
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
