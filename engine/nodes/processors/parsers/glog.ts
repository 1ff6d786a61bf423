import { defineParser, integerOf, objectOf, type ParseText } from './define-parser.ts'
import { timeReader } from './log-time.ts'

const LEVELS: Readonly<Record<string, string>> = { I: 'info', W: 'warning', E: 'error', F: 'fatal' }

/** A line of Google's glog. */
export const glog = defineParser({
  id: 'parse_glog',
  compile: () => lineParser('\\d{8}', '%Y%m%d %T%.6f'),
  examples: [
    {
      text: ' I20310309 08:15:30.250000 15520 main.c:9] Hello world! ',
      value: {
        level: 'info',
        timestamp: '2031-03-09T08:15:30.250Z',
        id: 15520,
        file: 'main.c',
        line: 9,
        message: 'Hello world!',
      },
    },
    { text: 'X20310309 08:15:30.250000 15520 main.c:9] Hello' },
    { text: 'I20310399 08:15:30.250000 15520 main.c:9] Hello' },
  ],
})

/**
 * @param date form of the date, as a regular expression
 * @param time format of date and time
 */
export function lineParser(date: string, time: string): ParseText {
  const form = new RegExp(
    `^([IWEF])(${date} \\d\\d:\\d\\d:\\d\\d\\.\\d{6}) +(\\d{1,19}) ([^:\\s]+):(\\d{1,15})\\] ?(.*)$`,
    's',
  )
  const readTime = timeReader(time)
  return (text, nowMs) => {
    const match = form.exec(text.trim())
    const timestamp = match === null ? undefined : readTime(match[2] as string, nowMs)
    if (match === null || timestamp === undefined) return undefined
    const [, level = '', , id = '', file, line = '', message] = match
    return objectOf([
      ['level', LEVELS[level]],
      ['timestamp', timestamp],
      ['id', integerOf(id)],
      ['file', file],
      ['line', integerOf(line)],
      ['message', message],
    ])
  }
}
