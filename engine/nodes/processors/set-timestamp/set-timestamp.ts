import Type, { type Static } from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import { type ErrorDetail, foundType } from '../../../event/errors.ts'
import { type Field, fieldAt } from '../../../event/field-path.ts'
import { pass } from '../../../event/outcome.ts'
import type { Problem } from '../../../event/problem.ts'
import { canonicalTimeOf, type Instant } from '../../../times/instant.ts'
import { compileTimeFormat, type TimeFormat } from '../../../times/time-format.ts'
import { FieldPath } from '../../contract/config-schema.ts'
import { defineProcessor } from '../../contract/define-processor.ts'
import { ENTRY_UNITS, UNCOUNTED_ENTRIES } from '../../contract/option-work.ts'
import {
  TimeFormatOption,
  timeFormatProblems,
  timeFormatText,
  unreadableFormatProblems,
} from '../../options/time-format-option.ts'
import { EPOCH_FORMATS } from './epoch-format.ts'

const MEMBERS = { format: 'format', custom: 'custom_format' } as const

const TimeParser = Type.Object(
  { field: FieldPath({ description: 'Field with the time' }), options: TimeFormatOption },
  { additionalProperties: false },
)

/** Reading a text by one format. */
const TRIAL_UNITS = 100

interface TimeEntry {
  readonly field: Field
  readonly format: TimeFormat
}

/**
 * Set timestamp: takes the time of an event from one of its fields. Log time does not change, so windows are not
 * affected. Rules: components, section 5.21.
 */
export const setTimestamp = defineProcessor({
  type: 'set-timestamp',
  since: 3,
  summary: 'Take the time of an event from one of its fields.',
  notes: ['Formats are those of [the guide](operations.md#time-formats).'],
  config: Type.Object(
    {
      parsers: Type.Array(TimeParser, { minItems: 1, description: 'Fields and formats, in order of trial' }),
    },
    { additionalProperties: false },
  ),
  errors: ['E_NOT_FOUND', 'E_PARSE_FAILED', 'E_EXPRESSION_COST'],

  check: ({ parsers }) => optionProblems(parsers, options => timeFormatProblems(options, MEMBERS, formatOf)),

  runProblems: ({ parsers }) =>
    optionProblems(parsers, options => unreadableFormatProblems(options, MEMBERS, formatOf)),

  compile({ parsers }, _report, meter) {
    const entries = parsers.map(compileParser)
    const [first] = entries as [TimeEntry]
    const isCounted = entries.length > UNCOUNTED_ENTRIES
    return (event, _state, nowMs) => {
      let trouble: ErrorDetail | undefined
      if (isCounted) meter.work(entries.length * ENTRY_UNITS)
      for (const { field, format } of entries) {
        const value = field.read(event)
        if (value === undefined) continue
        if (isCounted) meter.work(TRIAL_UNITS)
        const instant = readTime(value, format, nowMs)
        if (instant !== undefined) return event.withTimestamp(canonicalTimeOf(instant))
        trouble ??= { field: field.text, found: foundType(value) }
      }
      if (trouble === undefined) return pass(event, 'E_NOT_FOUND', { field: first.field.text })
      return pass(event, 'E_PARSE_FAILED', trouble)
    }
  },

  configs: [
    {
      sent: {
        parsers: [
          { field: '.at', options: { format: 'Custom', custom_format: '%d.%m.%Y %H:%M' } },
          { field: '.epoch', options: { format: '%s' } },
        ],
      },
    },
  ],

  examples: [
    {
      title: 'the field says the time, and stays',
      config: { parsers: [{ field: '.at', options: { format: 'Custom', custom_format: '%d.%m.%Y %H:%M' } }] },
      steps: [
        {
          event: { at: '09.03.2031 08:15' },
          outcome: pass({ at: '09.03.2031 08:15' }),
          timestampAfter: '2031-03-09T08:15:00Z',
        },
      ],
    },
    {
      title: 'the first entry that can read its field holds',
      config: {
        parsers: [
          { field: '.at', options: { format: '%d/%b/%Y:%T %z' } },
          { field: '.epoch', options: { format: '%s' } },
          { field: '.ns', options: { format: 'epoch_ns' } },
        ],
      },
      steps: [
        {
          event: { at: '09/Mar/2031:08:15:30 +0100', epoch: 0 },
          outcome: pass({ at: '09/Mar/2031:08:15:30 +0100', epoch: 0 }),
          timestampAfter: '2031-03-09T07:15:30Z',
        },
        {
          event: { at: 'today', epoch: 1_930_810_530 },
          outcome: pass({ at: 'today', epoch: 1_930_810_530 }),
          timestampAfter: '2031-03-09T08:15:30Z',
        },
        {
          event: { ns: 1_930_810_530_250_000_001n },
          outcome: pass({ ns: 1_930_810_530_250_000_001n }),
          timestampAfter: '2031-03-09T08:15:30.250000001Z',
        },
      ],
    },
    {
      title: 'a year that is not written is that of the log time, or the one before',
      config: { parsers: [{ field: '.at', options: { format: '%b %d %T' } }] },
      steps: [
        {
          event: { at: 'Dec 31 23:59:59' },
          atMs: Date.UTC(2031, 0, 1),
          outcome: pass({ at: 'Dec 31 23:59:59' }),
          timestampAfter: '2030-12-31T23:59:59Z',
        },
      ],
    },
    {
      title: 'without a time that can be read the event keeps the one that it has',
      config: {
        parsers: [
          { field: '.at', options: { format: '%F' } },
          { field: '.day', options: { format: '%Y%m%d' } },
        ],
      },
      steps: [
        {
          event: { at: '2031-02-29' },
          envelope: { timestamp: '2031-03-09T08:15:30Z' },
          outcome: pass({ at: '2031-02-29' }, 'E_PARSE_FAILED', { field: '.at', found: 'string' }),
          timestampAfter: '2031-03-09T08:15:30Z',
          errors: [['E_PARSE_FAILED', '.at']],
        },
        {
          event: { day: 20_310_309 },
          outcome: pass({ day: 20_310_309 }, 'E_PARSE_FAILED', { field: '.day', found: 'number' }),
          errors: [['E_PARSE_FAILED', '.day']],
        },
        { event: {}, outcome: pass({}, 'E_NOT_FOUND', { field: '.at' }), errors: [['E_NOT_FOUND', '.at']] },
      ],
    },
  ],
})

/** @param parsers as sent, with any type */
function optionProblems(parsers: unknown, problemsOf: (options: JsonObject) => Problem[]): Problem[] {
  if (!Array.isArray(parsers)) return []
  return parsers.flatMap((parser, index) => {
    if (!isJsonObject(parser) || !isJsonObject(parser.options)) return []
    return problemsOf(parser.options).map(({ instancePath, message }) => ({
      instancePath: `/parsers/${index}/options${instancePath}`,
      message,
    }))
  })
}

function compileParser({ field, options }: Static<typeof TimeParser>): TimeEntry {
  return { field: fieldAt(field), format: formatOf(timeFormatText(options as JsonObject, MEMBERS) as string) }
}

/** @throws RangeError */
function formatOf(text: string): TimeFormat {
  return EPOCH_FORMATS.get(text) ?? compileTimeFormat(text)
}

/** A count from 1970 may be a number. */
function readTime(value: JsonValue, format: TimeFormat, nowMs: number): Instant | undefined {
  if (typeof value === 'string') return format.read(value, nowMs)
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  return isNumber && format.isEpoch ? format.read(String(value), nowMs) : undefined
}
