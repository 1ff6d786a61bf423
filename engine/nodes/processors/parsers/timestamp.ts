import { canonicalTimeOf } from '../../../times/instant.ts'
import { compileTimeFormat } from '../../../times/time-format.ts'
import {
  TimeFormatOption,
  timeFormatText,
  unreadableFormatProblems,
} from '../../options/time-format-option.ts'
import { defineParser } from './define-parser.ts'

const MEMBERS = { format: 'format', custom: 'custom_format' } as const

/** A time, which becomes its canonical form. */
export const timestamp = defineParser<typeof TimeFormatOption>({
  id: 'parse_timestamp',
  options: TimeFormatOption,
  optionsRequired: true,
  timeFormat: MEMBERS,
  runProblems: options => unreadableFormatProblems({ ...options }, MEMBERS),
  compile(options) {
    const { read } = compileTimeFormat(timeFormatText({ ...options }, MEMBERS) ?? '')
    return (text, nowMs) => {
      const instant = read(text, nowMs)
      return instant && canonicalTimeOf(instant)
    }
  },
  examples: [
    {
      text: '09.03.2031 08:15',
      options: { format: 'Custom', custom_format: '%d.%m.%Y %H:%M' },
      value: '2031-03-09T08:15:00Z',
    },
    { text: '1930983330', options: { format: '%s' }, value: '2031-03-11T08:15:30Z' },
    { text: 'noon', options: { format: '%s' } },
  ],
})
