import { canonicalTimeOf, epochSecondOf, fractionText, type Instant, nanosecondOf } from './instant.ts'
import { dayOfYear, type TimePart } from './time-parts.ts'
import {
  type Read,
  readAfterBlank,
  readBlanks,
  readFraction,
  readHalf,
  readInTurn,
  readLiteral,
  readName,
  readNumber,
  readOffset,
  readOneOf,
  readPoint,
  readZoneName,
} from './time-readers.ts'

/** A mark of a time format, or the text between marks. */
export interface TimeMark {
  /** Parts of a time that every text of this mark contains. */
  readonly says: readonly TimePart[]
  readonly read: Read
  /** @param date the instant in whole milliseconds */
  readonly write: (instant: Instant, date: Date) => string
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Marks that represent several others. */
export const COMPOSED_MARKS: ReadonlyMap<string, string> = new Map([
  ['%T', '%H:%M:%S'],
  ['%R', '%H:%M'],
  ['%D', '%m/%d/%y'],
  ['%x', '%m/%d/%y'],
  ['%F', '%Y-%m-%d'],
  ['%v', '%e-%b-%Y'],
  ['%c', '%a %b %e %T %Y'],
])

/** All other marks of components, section 9.3. */
export const TIME_MARKS: ReadonlyMap<string, TimeMark> = new Map([
  ['%Y', mark('year', readYear(true), date => padded(date.getUTCFullYear(), 4))],
  [
    '%y',
    mark('yearOfCentury', readExactly('yearOfCentury', 0, 99), date => padded(date.getUTCFullYear() % 100)),
  ],
  ['%m', mark('month', readUpToTwo('month', 1, 12), date => padded(date.getUTCMonth() + 1))],
  ['%b', monthMark('short')],
  ['%h', monthMark('short')],
  ['%B', monthMark('long')],
  ['%d', mark('day', readUpToTwo('day', 1, 31), date => padded(date.getUTCDate()))],
  ['%e', mark('day', readAfterBlank(readUpToTwo('day', 1, 31)), date => blankPadded(date.getUTCDate()))],
  [
    '%j',
    mark('dayOfYear', readNumber('dayOfYear', { digits: [1, 3], range: [1, 366] }), date =>
      padded(dayOfYear(date), 3),
    ),
  ],
  ['%a', weekdayMark('short')],
  ['%A', weekdayMark('long')],
  ['%H', mark('hour', readUpToTwo('hour', 0, 23), date => padded(date.getUTCHours()))],
  ['%k', mark('hour', readAfterBlank(readUpToTwo('hour', 0, 23)), date => blankPadded(date.getUTCHours()))],
  ['%I', mark('hourOfHalf', readUpToTwo('hourOfHalf', 1, 12), date => padded(hourOfHalf(date)))],
  [
    '%l',
    mark('hourOfHalf', readAfterBlank(readUpToTwo('hourOfHalf', 1, 12)), date =>
      blankPadded(hourOfHalf(date)),
    ),
  ],
  ['%p', mark('half', readHalf, date => (date.getUTCHours() < 12 ? 'AM' : 'PM'))],
  ['%P', mark('half', readHalf, date => (date.getUTCHours() < 12 ? 'am' : 'pm'))],
  ['%M', mark('minute', readUpToTwo('minute', 0, 59), date => padded(date.getUTCMinutes()))],
  ['%S', mark('second', readUpToTwo('second', 0, 60), date => padded(date.getUTCSeconds()))],
  [
    '%f',
    fractionMark(readNumber('nanosecond', { digits: [1, 9], range: [0, 999_999_999] }), nanosecond =>
      padded(nanosecond, 9),
    ),
  ],
  ['%.f', fractionMark(readPoint(readFraction(1, 9), { isOptional: true }), fractionText)],
  ...[3, 6, 9].flatMap(digits => {
    const read = readFraction(digits, digits)
    const write = (nanosecond: number) => padded(nanosecond, 9).slice(0, digits)
    return [
      [`%${digits}f`, fractionMark(read, write)],
      [
        `%.${digits}f`,
        fractionMark(readPoint(read, { isOptional: false }), nanosecond => `.${write(nanosecond)}`),
      ],
    ] as const
  }),
  [
    '%s',
    {
      says: ['epochSecond'],
      read: readNumber('epochSecond', { digits: [1, 12], range: [0, 1e12], isSigned: true }),
      write: instant => String(epochSecondOf(instant)),
    },
  ],
  ['%z', mark('offsetMinutes', readOffset(/([+-])(\d\d):?(\d\d)/y), () => '+0000')],
  ['%:z', mark('offsetMinutes', readOffset(/([+-])(\d\d):(\d\d)/y), () => '+00:00')],
  ['%#z', mark('offsetMinutes', readOffset(/Z|([+-])(\d\d)(?::?(\d\d))?/y), () => '+0000')],
  ['%Z', { says: [], read: readZoneName, write: () => 'UTC' }],
  [
    '%+',
    {
      says: ['year', 'month', 'day', 'hour', 'minute', 'second', 'offsetMinutes'],
      read: readRfc3339(),
      write: canonicalTimeOf,
    },
  ],
  ['%n', blank('\n')],
  ['%t', blank('\t')],
  ['%%', literal('%')],
])

/** White space, which matches any white space. */
export function blank(written: string): TimeMark {
  return { says: [], read: readBlanks, write: () => written }
}

export function literal(text: string): TimeMark {
  return { says: [], read: readLiteral(text), write: () => text }
}

function mark(part: TimePart, read: Read, write: (date: Date) => string): TimeMark {
  return { says: [part], read, write: (_instant, date) => write(date) }
}

function fractionMark(read: Read, write: (nanosecond: number) => string): TimeMark {
  return { says: ['nanosecond'], read, write: instant => write(nanosecondOf(instant)) }
}

function monthMark(form: 'short' | 'long'): TimeMark {
  const read = readName('month', MONTHS, { first: 1, form })
  return mark('month', read, date => inForm(MONTHS[date.getUTCMonth()] as string, form))
}

function weekdayMark(form: 'short' | 'long'): TimeMark {
  const read = readName('weekday', WEEKDAYS, { first: 0, form })
  return mark('weekday', read, date => inForm(WEEKDAYS[date.getUTCDay()] as string, form))
}

function inForm(name: string, form: 'short' | 'long'): string {
  return form === 'short' ? name.slice(0, 3) : name
}

/** Reads one or two digits: logs also write 8:5 for 08:05. */
function readUpToTwo(part: TimePart, low: number, high: number): Read {
  return readNumber(part, { digits: [1, 2], range: [low, high] })
}

function readExactly(part: TimePart, low: number, high: number): Read {
  return readNumber(part, { digits: [2, 2], range: [low, high] })
}

function readYear(isSigned: boolean): Read {
  return readNumber('year', { digits: [4, 4], range: [0, 9999], isSigned })
}

/** Reads an RFC 3339 time, whose parts have a fixed width, except the fraction. */
function readRfc3339(): Read {
  const date = [
    readYear(false),
    readLiteral('-'),
    readExactly('month', 1, 12),
    readLiteral('-'),
    readExactly('day', 1, 31),
  ]
  const time = [
    readExactly('hour', 0, 23),
    readLiteral(':'),
    readExactly('minute', 0, 59),
    readLiteral(':'),
    readExactly('second', 0, 60),
    readPoint(readFraction(1, 9), { isOptional: true }),
  ]
  return readInTurn([...date, readOneOf('Tt '), ...time, readOffset(/[Zz]|([+-])(\d\d):(\d\d)/y)])
}

function padded(value: number, width = 2): string {
  return String(value).padStart(width, '0')
}

function blankPadded(value: number): string {
  return String(value).padStart(2, ' ')
}

function hourOfHalf(date: Date): number {
  return date.getUTCHours() % 12 || 12
}
