import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalTime } from './canonical-time.ts'
import { DAY_MS } from './duration.ts'
import { canonicalTimeOf, type Instant } from './instant.ts'
import { compileTimeFormat } from './time-format.ts'

const NOW = '2031-03-09T08:15:30.250Z'

/** The canonical form of the result, or undefined. */
function read(format: string, text: string, now = NOW): string | undefined {
  const instant = compileTimeFormat(format).read(text, Date.parse(now))
  return instant && canonicalTimeOf(instant)
}

/** An instant in the canonical form, with any number of digits. */
function instant(text: string): Instant {
  const found = compileTimeFormat('%+').read(text, 0)
  if (found === undefined) throw new RangeError(text)
  return found
}

function write(format: string, text: string): string {
  return compileTimeFormat(format).write(instant(text))
}

/** Formats around each mark, texts that a format reads with their values, and texts that it refuses. */
describe.each<[string, readonly (readonly [text: string, time: string])[], readonly string[]]>([
  [
    '%Y-%m-%d',
    [
      ['2031-03-09', '2031-03-09T00:00:00Z'],
      ['+2031-03-09', '2031-03-09T00:00:00Z'],
      ['0000-01-01', '0000-01-01T00:00:00Z'],
      ['-0000-01-01', '0000-01-01T00:00:00Z'],
      ['0099-12-31', '0099-12-31T00:00:00Z'],
      ['9999-12-31', '9999-12-31T00:00:00Z'],
      ['2031-3-9', '2031-03-09T00:00:00Z'],
      ['2032-02-29', '2032-02-29T00:00:00Z'],
      ['2000-02-29', '2000-02-29T00:00:00Z'],
    ],
    [
      ...['203-03-09', '12031-03-09', '-0001-12-31', '--031-03-09', ' 2031-03-09', '2031-03-09 '],
      ...['2031-00-09', '2031-13-09', '2031-03-00', '2031-03-32', '2031-04-31', '2031-02-29', '2100-02-29'],
      ...['2031-03', '2031-03-', '2031-03-009', '2031/03/09', '', '２031-03-09'],
    ],
  ],
  [
    '%y%m%d',
    [
      ['000101', '2000-01-01T00:00:00Z'],
      ['681231', '2068-12-31T00:00:00Z'],
      ['690101', '1969-01-01T00:00:00Z'],
      ['991231', '1999-12-31T00:00:00Z'],
    ],
    ['0x0101', '-10101', '00010'],
  ],
  ['%d/%m %y', [['1/12 31', '2031-12-01T00:00:00Z']], ['1/12 3', '1/12 031', '1/12 +3']],
  [
    '%d %b %Y',
    [
      ['09 Mar 2031', '2031-03-09T00:00:00Z'],
      ['9 mAR 2031', '2031-03-09T00:00:00Z'],
      ['31 Jan 2031', '2031-01-31T00:00:00Z'],
      ['1 dec 2031', '2031-12-01T00:00:00Z'],
    ],
    ['09 March 2031', '09 Mrz 2031', '09 Ma 2031', '09 03 2031'],
  ],
  ['%h/%d/%Y', [['MAR/9/2031', '2031-03-09T00:00:00Z']], ['march/9/2031']],
  [
    '%B %d, %Y',
    [
      ['March 9, 2031', '2031-03-09T00:00:00Z'],
      ['MARCH 09, 2031', '2031-03-09T00:00:00Z'],
      ['mar 9, 2031', '2031-03-09T00:00:00Z'],
      ['May 9, 2031', '2031-05-09T00:00:00Z'],
    ],
    ['Marc 9, 2031', 'Marcha 9, 2031', 'Märch 9, 2031'],
  ],
  [
    '%e.%m.%Y',
    [
      [' 9.03.2031', '2031-03-09T00:00:00Z'],
      ['9.03.2031', '2031-03-09T00:00:00Z'],
      ['31.03.2031', '2031-03-31T00:00:00Z'],
    ],
    ['  9.03.2031', '0.03.2031', '32.03.2031', '\t9.03.2031'],
  ],
  [
    '%Y/%j',
    [
      ['2031/001', '2031-01-01T00:00:00Z'],
      ['2031/68', '2031-03-09T00:00:00Z'],
      ['2031/365', '2031-12-31T00:00:00Z'],
      ['2032/366', '2032-12-31T00:00:00Z'],
      ['2032/060', '2032-02-29T00:00:00Z'],
    ],
    ['2031/000', '2031/366', '2032/367', '2031/0068'],
  ],
  [
    '%a %F',
    [
      ['Sun 2031-03-09', '2031-03-09T00:00:00Z'],
      ['sUN 2031-03-09', '2031-03-09T00:00:00Z'],
      ['Sat 2031-03-08', '2031-03-08T00:00:00Z'],
    ],
    ['Mon 2031-03-09', 'Sunday 2031-03-09', 'So 2031-03-09', '2031-03-09'],
  ],
  [
    '%A %F',
    [
      ['Sunday 2031-03-09', '2031-03-09T00:00:00Z'],
      ['SUNDAY 2031-03-09', '2031-03-09T00:00:00Z'],
      ['sun 2031-03-09', '2031-03-09T00:00:00Z'],
    ],
    ['Monday 2031-03-09', 'Sund 2031-03-09'],
  ],
  [
    '%F %H',
    [
      ['2031-03-09 00', '2031-03-09T00:00:00Z'],
      ['2031-03-09 23', '2031-03-09T23:00:00Z'],
      ['2031-03-09 8', '2031-03-09T08:00:00Z'],
    ],
    ['2031-03-09 24', '2031-03-09 -1', '2031-03-09 008', '2031-03-09 '],
  ],
  [
    '%F|%k',
    [
      ['2031-03-09| 8', '2031-03-09T08:00:00Z'],
      ['2031-03-09|23', '2031-03-09T23:00:00Z'],
    ],
    ['2031-03-09|24', '2031-03-09|  8'],
  ],
  [
    '%F %I %p',
    [
      ['2031-03-09 12 AM', '2031-03-09T00:00:00Z'],
      ['2031-03-09 01 am', '2031-03-09T01:00:00Z'],
      ['2031-03-09 12 Pm', '2031-03-09T12:00:00Z'],
      ['2031-03-09 11 PM', '2031-03-09T23:00:00Z'],
      ['2031-03-09 11\u202fPM', '2031-03-09T23:00:00Z'],
    ],
    ['2031-03-09 0 AM', '2031-03-09 13 AM', '2031-03-09 1 M', '2031-03-09 1', '2031-03-09 1 XM'],
  ],
  [
    '%F|%l%P',
    [
      ['2031-03-09| 1pm', '2031-03-09T13:00:00Z'],
      ['2031-03-09|12PM', '2031-03-09T12:00:00Z'],
    ],
    ['2031-03-09|  1pm', '2031-03-09|13pm'],
  ],
  [
    '%F %H:%M',
    [
      ['2031-03-09 08:00', '2031-03-09T08:00:00Z'],
      ['2031-03-09 08:59', '2031-03-09T08:59:00Z'],
      ['2031-03-09 8:5', '2031-03-09T08:05:00Z'],
    ],
    ['2031-03-09 08:60', '2031-03-09 08:', '2031-03-09 08'],
  ],
  [
    '%F %H:%M:%S',
    [
      ['2031-03-09 08:15:00', '2031-03-09T08:15:00Z'],
      ['2031-03-09 08:15:59', '2031-03-09T08:15:59Z'],
      ['2031-03-09 08:15:60', '2031-03-09T08:15:59.999999999Z'],
    ],
    ['2031-03-09 08:15:61', '2031-03-09 08:15', '2031-03-09 08:15:00.5'],
  ],
  ['%F %T%.f', [['2031-03-09 08:15:60.5', '2031-03-09T08:15:59.999999999Z']], ['2031-03-09 08:15:61.5']],
  [
    '%FT%T',
    [['2031-03-09T08:15:30', '2031-03-09T08:15:30Z']],
    ['2031-03-09t08:15:30', '2031-03-09 08:15:30'],
  ],
  ['%F %R', [['2031-03-09 08:15', '2031-03-09T08:15:00Z']], ['2031-03-09 08:15:30']],
  ['%D', [['03/09/31', '2031-03-09T00:00:00Z']], ['03/09/2031', '13/09/31', '03-09-31']],
  ['%x', [['03/09/69', '1969-03-09T00:00:00Z']], ['03/09']],
  ['%F', [['2031-03-09', '2031-03-09T00:00:00Z']], ['2031-03-09T']],
  ['%v', [[' 9-Mar-2031', '2031-03-09T00:00:00Z']], ['9-March-2031', '9-03-2031']],
  [
    '%FT%T %f',
    [
      ['2031-03-09T08:15:30 250', '2031-03-09T08:15:30.000000250Z'],
      ['2031-03-09T08:15:30 999999999', '2031-03-09T08:15:30.999999999Z'],
      ['2031-03-09T08:15:30 000250000', '2031-03-09T08:15:30.000250Z'],
    ],
    ['2031-03-09T08:15:30 1000000000', '2031-03-09T08:15:30 ', '2031-03-09T08:15:30 .5'],
  ],
  [
    '%FT%T%.f',
    [
      ['2031-03-09T08:15:30', '2031-03-09T08:15:30Z'],
      ['2031-03-09T08:15:30.5', '2031-03-09T08:15:30.500Z'],
      ['2031-03-09T08:15:30.123456789', '2031-03-09T08:15:30.123456789Z'],
      ['2031-03-09T08:15:30.000000000', '2031-03-09T08:15:30Z'],
    ],
    ['2031-03-09T08:15:30.', '2031-03-09T08:15:30.1234567890', '2031-03-09T08:15:30,5'],
  ],
  ...[3, 6, 9].map(
    digits =>
      [
        `%FT%T,%${digits}f`,
        [[`2031-03-09T08:15:30,${'5'.repeat(digits)}`, `2031-03-09T08:15:30.${'5'.repeat(digits)}Z`]],
        [digits - 1, digits + 1].map(count => `2031-03-09T08:15:30,${'5'.repeat(count)}`),
      ] as [string, [string, string][], string[]],
  ),
  ...[3, 6, 9].map(
    digits =>
      [
        `%FT%T%.${digits}f`,
        [[`2031-03-09T08:15:30.${'5'.repeat(digits)}`, `2031-03-09T08:15:30.${'5'.repeat(digits)}Z`]],
        ['', '.', `.${'5'.repeat(digits - 1)}`, `.${'5'.repeat(digits + 1)}`, '5'.repeat(digits)].map(
          fraction => `2031-03-09T08:15:30${fraction}`,
        ),
      ] as [string, [string, string][], string[]],
  ),
  [
    '%s',
    [
      ['0', '1970-01-01T00:00:00Z'],
      ['1930810530', '2031-03-09T08:15:30Z'],
      ['-1', '1969-12-31T23:59:59Z'],
      ['+1', '1970-01-01T00:00:01Z'],
      ['253402300799', '9999-12-31T23:59:59Z'],
      ['-62167219200', '0000-01-01T00:00:00Z'],
    ],
    ['253402300800', '-62167219201', '999999999999', '1930810530.5', '1930810530250', '', '-', '1e9', '0x1'],
  ],
  ['%s%.f', [['1930810530.25', '2031-03-09T08:15:30.250Z']], ['1930810530.', '.25']],
  [
    '%s %F %T',
    [['1930810530 2031-03-09 08:15:30', '2031-03-09T08:15:30Z']],
    ['1930810530 2031-03-09 08:15:31'],
  ],
  ['%s %z %H', [['1930810530 +0130 09', '2031-03-09T08:15:30Z']], ['1930810530 +0130 08']],
  [
    '%F %T %z',
    [
      ['2031-03-09 08:15:30 +0000', '2031-03-09T08:15:30Z'],
      ['2031-03-09 08:15:30 -0000', '2031-03-09T08:15:30Z'],
      ['2031-03-09 08:15:30 +0130', '2031-03-09T06:45:30Z'],
      ['2031-03-09 08:15:30 +01:30', '2031-03-09T06:45:30Z'],
      ['2031-03-09 08:15:30 -2359', '2031-03-10T08:14:30Z'],
      ['2031-03-09 08:15:30 +2359', '2031-03-08T08:16:30Z'],
    ],
    ['+2400', '+0160', '+01', '+01:3', '0130', 'Z', 'UTC', '+01 30', '−0130', ''].map(
      zone => `2031-03-09 08:15:30 ${zone}`,
    ),
  ],
  [
    '%F %T %:z',
    [['2031-03-09 08:15:30 -01:30', '2031-03-09T09:45:30Z']],
    ['-0130', '-01', 'Z', '+24:00', '+00:60'].map(zone => `2031-03-09 08:15:30 ${zone}`),
  ],
  [
    '%F %T %#z',
    [
      ['2031-03-09 08:15:30 +01', '2031-03-09T07:15:30Z'],
      ['2031-03-09 08:15:30 +0130', '2031-03-09T06:45:30Z'],
      ['2031-03-09 08:15:30 +01:30', '2031-03-09T06:45:30Z'],
      ['2031-03-09 08:15:30 Z', '2031-03-09T08:15:30Z'],
    ],
    ['+1', '+01:', '+013', '+24', 'UTC'].map(zone => `2031-03-09 08:15:30 ${zone}`),
  ],
  [
    '%F %T %Z',
    ['UTC', 'GMT', 'Z', 'CEST', 'Europe/Oslo', 'Etc/GMT+2'].map(
      zone => [`2031-03-09 08:15:30 ${zone}`, '2031-03-09T08:15:30Z'] as const,
    ),
    ['', '+0100', 'UTC 1', '1st'].map(zone => `2031-03-09 08:15:30 ${zone}`),
  ],
  [
    '%F %T %z (%Z)',
    [
      ['2031-03-09 08:15:30 +0100 (CET)', '2031-03-09T07:15:30Z'],
      ['2031-03-09 08:15:30 +0000 (GMT)', '2031-03-09T08:15:30Z'],
    ],
    ['2031-03-09 08:15:30 +0100 (GMT)', '2031-03-09 08:15:30 +0100 ()'],
  ],
  [
    '%+',
    [
      ['2031-03-09T08:15:30Z', '2031-03-09T08:15:30Z'],
      ['2031-03-09t08:15:30.25z', '2031-03-09T08:15:30.250Z'],
      ['2031-03-09 08:15:30.123456789-01:30', '2031-03-09T09:45:30.123456789Z'],
      ['2031-03-09T08:15:60Z', '2031-03-09T08:15:59.999999999Z'],
      ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
      ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999999Z'],
    ],
    [
      ...['2031-03-09T08:15:30', '2031-03-09T08:15Z', '2031-3-09T08:15:30Z', '2031-03-09T8:15:30Z'],
      ...[
        '+2031-03-09T08:15:30Z',
        '2031-03-09T08:15:30.Z',
        '2031-03-09T08:15:30+0100',
        '2031-02-29T08:15:30Z',
      ],
      ...['2031-03-09T24:00:00Z', '2031-03-09T08:15:30.1234567890Z', '2031-03-09  08:15:30Z', '2031-03-09'],
      ...['0000-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'],
    ],
  ],
  [
    '%c',
    [
      ['Sun Mar  9 08:15:30 2031', '2031-03-09T08:15:30Z'],
      ['Sun Mar 9 08:15:30 2031', '2031-03-09T08:15:30Z'],
    ],
    ['Mon Mar  9 08:15:30 2031', 'Sun Mar  9 08:15:30 31'],
  ],
  [
    '%F %T',
    [
      ['2031-03-09 \t\n\v\f\r\u00a0\u2003 08:15:30', '2031-03-09T08:15:30Z'],
      ['2031-03-0908:15:30', '2031-03-09T08:15:30Z'],
    ],
    ['2031-03-09\u200b08:15:30', '2031-03-09_08:15:30', ' 2031-03-09 08:15:30', '2031-03-09 08:15:30 '],
  ],
  ['%F%n%T', [['2031-03-09   08:15:30', '2031-03-09T08:15:30Z']], ['2031-03-09-08:15:30']],
  ['%t%F%t', [['2031-03-09', '2031-03-09T00:00:00Z']], ['-2031-03-09']],
  ['%F%%', [['2031-03-09%', '2031-03-09T00:00:00Z']], ['2031-03-09', '2031-03-09%%']],
  ['am %F Ende ð🌊', [['am 2031-03-09 Ende ð🌊', '2031-03-09T00:00:00Z']], ['AM 2031-03-09 Ende ð🌊']],
  ['%F %H:%M %p', [['2031-03-09 14:05 PM', '2031-03-09T14:05:00Z']], ['2031-03-09 14:05 AM']],
  ['%F %H %I %p', [['2031-03-09 14 2 PM', '2031-03-09T14:00:00Z']], ['2031-03-09 14 3 PM']],
  ['%F %y', [['2031-03-09 31', '2031-03-09T00:00:00Z']], ['2031-03-09 32', '1931-03-09 31']],
  ['%F %j', [['2032-03-09 069', '2032-03-09T00:00:00Z']], ['2032-03-09 068', '2031-03-09 069']],
  ['%Y/%j %d', [['2031/068 9', '2031-03-09T00:00:00Z']], ['2031/068 10']],
  ['%F %d', [['2031-03-09 9', '2031-03-09T00:00:00Z']], ['2031-03-09 10']],
])('%s', (format, reads, refuses) => {
  test.each(reads)('reads %j as %s', (text, time) => {
    expect(read(format, text)).toBe(time)
  })

  test.each(refuses)('refuses %j', text => {
    expect(read(format, text)).toBeUndefined()
  })
})

describe('a time without a year', () => {
  test.each([
    ['Mar  9 08:15:30', NOW, '2031-03-09T08:15:30Z'],
    ['Jan  1 00:00:00', NOW, '2031-01-01T00:00:00Z'],
    ['Dec 31 23:59:59', '2031-01-01T00:00:05Z', '2030-12-31T23:59:59Z'],
    ['Apr  9 08:15:30', '2031-03-09T08:15:30.000Z', '2031-04-09T08:15:30Z'],
    ['Apr  9 08:15:30', '2031-03-09T08:15:29.999Z', '2030-04-09T08:15:30Z'],
    ['Jan  1 00:00:00', '2031-12-31T23:59:59Z', '2031-01-01T00:00:00Z'],
    ['Feb 29 12:00:00', '2032-02-29T12:00:01Z', '2032-02-29T12:00:00Z'],
    ['Feb 29 12:00:00', '2033-01-05T00:00:00Z', '2032-02-29T12:00:00Z'],
    ['Feb 29 12:00:00', '2033-02-20T00:00:00Z', undefined],
  ])('%s at %s is %s', (text, now, time) => {
    expect(read('%b %d %T', text, now)).toBe(time)
  })

  test('is chosen with its zone and to the nanosecond', () => {
    const now = '2031-03-09T08:15:30.000Z'
    expect(read('%m-%d %T%.f %z', '04-09 09:15:30 +0100', now)).toBe('2031-04-09T08:15:30Z')
    expect(read('%m-%d %T%.f %z', '04-09 09:15:30.000000001 +0100', now)).toBe(
      '2030-04-09T08:15:30.000000001Z',
    )
  })

  test('can be a day of the year, and its weekday is that of the chosen year', () => {
    expect(read('%j %T', '365 23:00:00', '2031-01-01T00:00:00Z')).toBe('2030-12-31T23:00:00Z')
    expect(read('%a %b %d', 'Tue Dec 31', '2031-01-01T00:00:00Z')).toBe('2030-12-31T00:00:00Z')
    expect(read('%a %b %d', 'Wed Dec 31', '2031-01-01T00:00:00Z')).toBeUndefined()
  })
})

test.each([
  ['%Q', 'it has no mark %Q'],
  ['%F %-d', 'it has no mark %-'],
  ['%F %4f', 'it has no mark %4'],
  ['%F %.', 'it has no mark %.'],
  ['%F %:', 'it has no mark %:'],
  ['%F %🌊', 'it has no mark %🌊'],
  ['%F %', 'it ends in a lone %'],
  ['', 'it has no date'],
  ['today', 'it has no date'],
  ['%T', 'it has no date'],
  ['%Y-%m', 'it has no date'],
  ['%Y %d', 'it has no date'],
  ['%A', 'it has no date'],
  ['%F %I', '%I and %l need %p'],
  ['%F %p', '%p needs an hour'],
  ['%F %M', '%M needs an hour'],
  ['%F %H:%S', '%S needs %M'],
  ['%F %R%.f', 'a fraction needs %S or %s'],
  [`%F${'x'.repeat(199)}`, 'it has more than 200 characters'],
])('%j is refused: %s', (format, message) => {
  expect(() => compileTimeFormat(format)).toThrow(new RangeError(message))
})

test.each([
  ['%Y-%m-%d %y %b %h %B', '2031-03-09 31 Mar Mar March'],
  ['%d %e %F %j', '09  9 2031-03-09 068'],
  ['%F %a %A', '2031-03-09 Sun Sunday'],
  ['%F %H %k %I %l %p %P', '2031-03-09 08  8 08  8 AM am'],
  ['%F %T %R', '2031-03-09 08:15:30 08:15'],
  ['%D %x %v', '03/09/31 03/09/31  9-Mar-2031'],
  ['%F %T %f %.f', '2031-03-09 08:15:30 012345678 .012345678'],
  ['%F %T %3f %6f %9f', '2031-03-09 08:15:30 012 012345 012345678'],
  ['%F %T %.3f %.6f %.9f', '2031-03-09 08:15:30 .012 .012345 .012345678'],
  ['%s %F%z%:z%#z %Z', '1930810530 2031-03-09+0000+00:00+0000 UTC'],
  ['%+', '2031-03-09T08:15:30.012345678Z'],
  ['%c', 'Sun Mar  9 08:15:30 2031'],
  ['%F%n%t  %%', '2031-03-09\n\t  %'],
])('%s writes %s', (format, text) => {
  expect(write(format, '2031-03-09T08:15:30.012345678Z')).toBe(text)
})

test.each([
  ['%F %I %p', '2031-03-09T00:30:00Z', '2031-03-09 12 AM'],
  ['%F %l %P', '2031-03-09T12:30:00Z', '2031-03-09 12 pm'],
  ['%F %l%P', '2031-03-09T13:30:00Z', '2031-03-09  1pm'],
  ['%Y %y %j', '0007-12-31T00:00:00Z', '0007 07 365'],
  ['%F %T%.f', '2031-03-09T08:15:30Z', '2031-03-09 08:15:30'],
  ['%F %T%.f', '2031-03-09T08:15:30.5Z', '2031-03-09 08:15:30.500'],
  ['%s%.f', '1969-12-31T23:59:59.5Z', '-1.500'],
])('%s writes %s as %s', (format, time, text) => {
  expect(write(format, time)).toBe(text)
})

/** Forms in logs, in lines as they occur. */
test.each([
  ['%d/%b/%Y:%T %z', '10/Oct/2000:13:55:36 -0700', '2000-10-10T20:55:36Z'],
  ['%Y/%m/%d %H:%M:%S', '2017/05/16 00:00:00', '2017-05-16T00:00:00Z'],
  ['%a %b %d %H:%M:%S%.f %Y', 'Sun Dec 04 04:47:44 2005', '2005-12-04T04:47:44Z'],
  ['%a %b %d %H:%M:%S%.f %Y', 'Wed Oct 11 14:32:52.123456 2000', '2000-10-11T14:32:52.123456Z'],
  ['%b %d %T', 'Dec 10 06:55:46', '2030-12-10T06:55:46Z'],
  ['%m%d %T%.f', '0309 08:15:30.084000', '2031-03-09T08:15:30.084Z'],
  ['%Y%m%d %T%.6f', '20310309 08:15:30.084000', '2031-03-09T08:15:30.084Z'],
  ['%y/%m/%d %T', '17/06/09 20:10:40', '2017-06-09T20:10:40Z'],
  ['%y%m%d %H%M%S', '081109 203615', '2008-11-09T20:36:15Z'],
  ['%Y-%m-%d %T,%3f', '2015-07-29 17:41:44,747', '2015-07-29T17:41:44.747Z'],
  ['%F %T%.3f', '2017-05-16 00:00:00.008', '2017-05-16T00:00:00.008Z'],
  ['%F %T, ', '2016-09-28 04:30:30, ', '2016-09-28T04:30:30Z'],
  ['%a, %d %b %Y %T %Z', 'Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37Z'],
  ['%m/%d/%Y %l:%M:%S %p', '3/9/2031 8:15:30 PM', '2031-03-09T20:15:30Z'],
])('%s reads %s', (format, text, time) => {
  expect(read(format, text)).toBe(time)
})

describe('any format', () => {
  const DATES = ['%F', '%Y %m %e', '%v', '%B %d, %Y', '%Y/%j', '%D', '%x', '%y %h %d', '%A %F', '%a %b %d %Y']
  const TIMES = ['%T', '%H:%M:%S', '%R:%S', '%k %M %S', '%I:%M:%S %p', '%l %M %S%P']
  const FRACTIONS = new Map([
    ...[...['', '%.f', '%9f', '%.9f'].map(mark => [mark, 9] as const)],
    ...(['%3f', '%.3f'] as const).map(mark => [mark, 3] as const),
    ...(['%6f', '%.6f'] as const).map(mark => [mark, 6] as const),
  ])
  const ZONES = ['', '%z', '%:z', '%#z', '%Z', '%z %Z']
  const SEPARATORS = ['|', ' ', 'T', '%n', '%t', ' %% ', ' at ', '']
  const instants = fc.record({
    second: fc.integer({ min: Date.UTC(1969, 0) / 1000, max: Date.UTC(2069, 0) / 1000 - 1 }),
    nanosecond: fc.nat({ max: 999_999_999 }),
  })
  const at = ({ second, nanosecond }: { second: number; nanosecond: number }): Instant => ({
    epochMs: second * 1000 + Math.floor(nanosecond / 1e6),
    nanos: nanosecond % 1e6,
  })
  const cut = (nanosecond: number, digits: number) => nanosecond - (nanosecond % 10 ** (9 - digits))

  test('with date, time and fraction reads its own output as the same instant', () => {
    const oneOf = (texts: readonly string[]) => fc.constantFrom(...texts)
    fc.assert(
      fc.property(
        fc.tuple(oneOf(DATES), oneOf(TIMES), oneOf([...FRACTIONS.keys()]), oneOf(ZONES), oneOf(SEPARATORS)),
        fc.boolean(),
        instants,
        ([date, time, fraction, zone, separator], isTimeFirst, { second, nanosecond }) => {
          const beforeFraction = fraction.startsWith('%.') ? '' : '|'
          const written = `${time}${beforeFraction}${fraction}`
          const parts = isTimeFirst ? [written, date] : [date, written]
          const format = `${parts.join(separator === '' ? '_' : separator)}|${zone}`
          const digits = fraction === '' ? 0 : (FRACTIONS.get(fraction) as number)
          const kept = at({ second, nanosecond: cut(nanosecond, digits) })
          const compiled = compileTimeFormat(format)
          expect(compiled.read(compiled.write(at({ second, nanosecond })), 0)).toEqual(kept)
        },
      ),
    )
  })

  test.each(['%s%.f', '%s.%9f', '%s %f', '%+', '%F %T %f'])('that is %s loses nothing', format => {
    const compiled = compileTimeFormat(format)
    const anySecond = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 })
    fc.assert(
      fc.property(anySecond, fc.nat({ max: 999_999_999 }), (second, nanosecond) => {
        const instant = at({ second, nanosecond })
        expect(compiled.read(compiled.write(instant), 0)).toEqual(instant)
      }),
    )
  })

  test.each(['%b %d %T', '%m%d %T', '%j %T', '%a %e. %b %R:%S'])(
    '%s writes a time that it reads in the year of its time',
    format => {
      const compiled = compileTimeFormat(format)
      fc.assert(
        fc.property(instants, fc.nat({ max: 31 * DAY_MS }), ({ second }, laterMs) => {
          const instant = at({ second, nanosecond: 0 })
          const now = new Date(instant.epochMs + laterMs)
          expect(compiled.read(compiled.write(instant), now.getTime())).toEqual(instant)
        }),
      )
    },
  )

  test('with any text reads or refuses it, and never throws', () => {
    const formats = [...DATES, '%s', '%+', '%d/%b/%Y:%T %z', '%b %d %T', '%A %c %Z', '%F %l %P']
    const compiled = formats.map(compileTimeFormat)
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.nat({ max: 40 }), (noise, other, place) => {
        for (const format of compiled) {
          const good = format.write(at({ second: 1_930_810_530, nanosecond: 0 }))
          for (const text of [noise, good.slice(0, place) + other + good.slice(place)]) {
            const found = format.read(text, Date.parse(NOW))
            if (found !== undefined)
              expect(canonicalTime(canonicalTimeOf(found))).toBe(canonicalTimeOf(found))
          }
        }
      }),
    )
  })
})

test('RFC 3339 is read like the canonical form, except for leap seconds', () => {
  const compiled = compileTimeFormat('%+')
  const two = (max: number) => fc.nat({ max }).map(value => String(value).padStart(2, '0'))
  const time = fc.tuple(fc.nat({ max: 9999 }), two(13), two(32), two(25), two(61), two(59), two(24), two(61))
  fc.assert(
    fc.property(time, fc.nat({ max: 999_999_999 }), ([year, month, day, ...clock], fraction) => {
      const [hour, minute, second, zoneHour, zoneMinute] = clock
      const date = `${String(year).padStart(4, '0')}-${month}-${day}`
      const text = `${date}T${hour}:${minute}:${second}.${fraction}-${zoneHour}:${zoneMinute}`
      const found = compiled.read(text, 0)
      expect(found && canonicalTimeOf(found)).toBe(canonicalTime(text))
    }),
    { numRuns: 1000 },
  )
})
