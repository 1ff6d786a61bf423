import type { LibraryPatterns } from './library-pattern.ts'

/** Days, times and their usual forms in logs. */
export const TIMES: LibraryPatterns = {
  MONTH: {
    is: '\\b(?:[Jj]an(?:uary)?|[Ff]eb(?:ruary)?|[Mm]ar(?:ch)?|[Aa]pr(?:il)?|[Mm]ay|[Jj]une?|[Jj]uly?|[Aa]ug(?:ust)?|[Ss]ep(?:tember)?|[Oo]ct(?:ober)?|[Nn]ov(?:ember)?|[Dd]ec(?:ember)?)\\b',
    lines: ['Jan', 'june', 'September'],
    others: ['Jann', 'MAR', '01'],
  },
  MONTHNUM: { is: '(?:1[0-2]|0?[1-9])', lines: ['1', '09', '12'], others: ['0', '13', '00'] },
  MONTHNUM2: { is: '(?:0[1-9]|1[0-2])', lines: ['01', '12'], others: ['1', '13'] },
  MONTHDAY: {
    is: '(?:3[01]|[12][0-9]|0?[1-9])',
    lines: ['1', '09', '31'],
    others: ['0', '32', '00'],
  },
  DAY: {
    is: '(?:Mon(?:day)?|Tue(?:sday)?|Wed(?:nesday)?|Thu(?:rsday)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?)',
    lines: ['Mon', 'Sunday'],
    others: ['mon', 'Tues'],
  },
  YEAR: { is: '[0-9]{4}|[0-9]{2}', lines: ['2031', '31'], others: ['203', '20311'] },
  HOUR: { is: '(?:2[0123]|[01]?[0-9])', lines: ['0', '08', '23'], others: ['24', '008'] },
  MINUTE: { is: '[0-5][0-9]', lines: ['00', '59'], others: ['60', '5'] },
  SECOND: {
    is: '(?:[0-5]?[0-9]|60)(?:[:.,][0-9]+)?',
    lines: ['5', '59.123', '60', '30,5'],
    others: ['61', '30.'],
  },
  TIME: {
    is: '%{HOUR}:%{MINUTE}:%{SECOND}',
    lines: ['08:15:30', '8:15:30.25'],
    others: ['08:15', '24:00:00'],
  },
  DATE_US: {
    is: '%{MONTHNUM}[/-]%{MONTHDAY}[/-]%{YEAR}',
    lines: ['03/09/2031', '3-9-31'],
    others: ['13/09/2031'],
  },
  DATE_EU: {
    is: '%{MONTHDAY}[./-]%{MONTHNUM}[./-]%{YEAR}',
    lines: ['09.03.2031', '31/12/31'],
    others: ['09.13.2031'],
  },
  ISO8601_TIMEZONE: {
    is: '(?:Z|[+-]%{HOUR}(?::?%{MINUTE}))',
    lines: ['Z', '+02:00', '-0530'],
    others: ['UTC', '+02:'],
  },
  ISO8601_SECOND: { is: '%{SECOND}', lines: ['30', '30.250', '60'], others: ['61'] },
  ISO8601_HOUR: { is: '(?:2[0123]|[01][0-9])', lines: ['08', '23'], others: ['8', '24'] },
  TIMESTAMP_ISO8601: {
    is: '%{YEAR}-%{MONTHNUM}-%{MONTHDAY}[T ]%{HOUR}:?%{MINUTE}(?::?%{SECOND})?%{ISO8601_TIMEZONE}?',
    lines: ['2031-03-09T08:15:30.250Z', '2031-03-09 08:15:30,250', '2031-03-09T08:15+02:00'],
    others: ['2031-03-09', '2031-13-09T08:15:30Z', '08:15:30'],
  },
  DATE: { is: '%{DATE_US}|%{DATE_EU}', lines: ['03/31/2031', '31.03.2031'], others: ['2031-03-09'] },
  DATESTAMP: { is: '(?:%{DATE})[- ]%{TIME}', lines: ['03/09/2031 08:15:30'], others: ['03/09/2031'] },
  TZ: {
    is: '(?:[APMCE][SD]T|UTC|GMT|CEST|CET|EET|WET|Z)',
    lines: ['UTC', 'PDT', 'CET'],
    others: ['XST', 'utc'],
  },
  DATESTAMP_RFC822: {
    is: '%{DAY} %{MONTH} %{MONTHDAY} %{YEAR} %{TIME} %{TZ}',
    lines: ['Sun Mar 9 2031 08:15:30 UTC'],
    others: ['Sun Mar 9 2031 08:15:30'],
  },
  DATESTAMP_RFC2822: {
    is: '%{DAY}, %{MONTHDAY} %{MONTH} %{YEAR} %{TIME} %{ISO8601_TIMEZONE}',
    lines: ['Sun, 09 Mar 2031 08:15:30 +0200'],
    others: ['Sun 09 Mar 2031 08:15:30 +0200'],
  },
  DATESTAMP_OTHER: {
    is: '%{DAY} %{MONTH} %{MONTHDAY} %{TIME} %{TZ} %{YEAR}',
    lines: ['Sun Mar 9 08:15:30 UTC 2031'],
    others: ['Sun Mar 9 08:15:30 2031'],
  },
  DATESTAMP_EVENTLOG: {
    is: '%{YEAR}%{MONTHNUM2}%{MONTHDAY}%{HOUR}%{MINUTE}%{SECOND}',
    lines: ['20310309081530'],
    others: ['2031-03-09'],
  },
  SYSLOGTIMESTAMP: {
    is: '%{MONTH} +%{MONTHDAY} %{TIME}',
    lines: ['Mar  9 08:15:30', 'Mar 31 08:15:30'],
    others: ['Mar9 08:15:30', '9 Mar 08:15:30'],
  },
  HTTPDATE: {
    is: '%{MONTHDAY}/%{MONTH}/%{YEAR}:%{TIME} %{INT}',
    lines: ['09/Mar/2031:08:15:30 +0000'],
    others: ['09/03/2031:08:15:30 +0000', '09/Mar/2031 08:15:30'],
  },
  HTTPDERROR_DATE: {
    is: '%{DAY} %{MONTH} %{MONTHDAY} %{TIME} %{YEAR}',
    lines: ['Sun Mar 09 08:15:30.123456 2031'],
    others: ['Mar 09 08:15:30 2031'],
  },
}
