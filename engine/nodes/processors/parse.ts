import Type from 'typebox'
import { TWELFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { foundType } from '../../event/errors.ts'
import type { Event } from '../../event/event.ts'
import { fieldAt } from '../../event/field-path.ts'
import { pass } from '../../event/outcome.ts'
import { MAX_BUILT_LEVELS, MAX_MESSAGE_LEVELS } from '../../json/message-levels.ts'
import { FieldPath } from '../contract/config-schema.ts'
import { type CostMeter, defineProcessor } from '../contract/define-processor.ts'
import { MAX_PARTS, MAX_TEXT_LENGTH } from './parsers/define-parser.ts'
import { MAX_JSON_LENGTH } from './parsers/json.ts'
import {
  type CompiledParser,
  compileParser,
  parserMembers,
  parserProblems,
  parserRunProblems,
  withParserDefaults,
} from './parsers/parsers.ts'

/** Arrays and objects around a result, which may have its own levels. (Our choice.) */
const MAX_TARGET_DEPTH = MAX_BUILT_LEVELS - MAX_MESSAGE_LEVELS

/** Options for the parsed field and the place of the result. */
export const parsedFieldMembers = {
  field: FieldPath({ blank: true, description: 'Field that holds the text; empty for the whole message' }),
  target_field: Type.Optional(
    FieldPath({
      blank: true,
      default: '',
      description: 'Field that receives the result; empty for the field itself',
    }),
  ),
}

/** The place of a text, and that of its result. */
export interface ParsedField {
  readonly field: string
  /** Text of the field; undefined when it is missing, null when it is not a text. */
  textIn(event: Event): string | null | undefined
  /**
   * The event with the result of a parser for its text; undefined when the parser does not accept it, or the result cannot be
   * written.
   */
  parsed(event: Event, text: string, parser: CompiledParser, nowMs: number): Event | undefined
}

/** @param meter counts the texts that are parsed, since results are copies of them */
export function parsedField(
  { field: path, target_field: targetPath }: { readonly field: string; readonly target_field?: string },
  meter: CostMeter,
): ParsedField {
  const field = fieldAt(path || '.')
  const target = targetPath ? fieldAt(targetPath) : field
  return {
    field: field.text,
    textIn(event) {
      const value = field.read(event)
      return typeof value === 'string' || value === undefined ? value : null
    },
    parsed(event, text, { parseText, maxTextLength }, nowMs) {
      if (text.length > maxTextLength || target.depth > MAX_TARGET_DEPTH) return undefined
      meter.work(text.length)
      const result = parseText(text, nowMs)
      if (result === undefined) return undefined
      meter.work(target.writeUnits(event))
      const parsed = target.write(event, result, 'any')
      return parsed === event ? undefined : parsed
    },
  }
}

/** Parse: turns a text into structure. An error changes nothing. Rules: components, section 5.14. */
export const parse = defineProcessor({
  type: 'parse',
  since: TWELFTH_BEHAVIOUR,
  summary: 'Turn a text into structure.',
  notes: [
    `A text of more than ${inThousands(MAX_TEXT_LENGTH)} UTF-16 units is not accepted, or ${inThousands(MAX_JSON_LENGTH)} for JSON. Nor is one that would give more than ${inThousands(MAX_PARTS)} members and elements, or JSON with more than ${MAX_MESSAGE_LEVELS} levels of arrays and objects.`,
    '`parse_regex` without a named group is saved, and refused at publication. The names of the patterns of `parse_grok` are on [a page of their own](grok.md). Formats of times are those of [the guide](operations.md#time-formats); a time without a year belongs to the year of the log time.',
  ],
  config: Type.Object({ ...parsedFieldMembers, ...parserMembers }, { additionalProperties: false }),
  errors: ['E_NOT_FOUND', 'E_PARSE_FAILED', 'E_EXPRESSION_COST'],

  check: sent => parserProblems(sent),
  complete: withParserDefaults,
  runProblems: config => parserRunProblems({ ...config }),

  compile(config, _report, meter) {
    const place = parsedField(config, meter)
    const parser = compileParser({ ...config }, meter)
    const { field } = place
    return (event, _state, nowMs) => {
      const text = place.textIn(event)
      if (text === undefined) return pass(event, 'E_NOT_FOUND', { field })
      if (text === null)
        return pass(event, 'E_PARSE_FAILED', { field, found: foundType(fieldAt(field).read(event)) })
      const parsed = place.parsed(event, text, parser, nowMs)
      return parsed === undefined ? pass(event, 'E_PARSE_FAILED', { field, found: 'string' }) : pass(parsed)
    }
  },

  configs: [
    {
      sent: { field: '.line', parser: 'parse_json' },
      defaults: { target_field: '' },
    },
    {
      sent: { field: '.line', parser: 'parse_apache_log', options: { format: 'combined' } },
      defaults: { target_field: '', options: { timestamp_format: '%d/%b/%Y:%T %z' } },
    },
    {
      sent: { field: '.line', parser: 'parse_nginx_log', options: { format: 'error' } },
      defaults: { target_field: '', options: { timestamp_format: '%Y/%m/%d %H:%M:%S' } },
    },
    {
      sent: {
        field: '.line',
        target_field: '.parsed',
        parser: 'parse_regex',
        options: { pattern: '(?P<door>[a-z]+)-(?P<number>\\d{2})', case_sensitive: false },
      },
      defaults: { options: { multiline: false, match_newline: false, crlf_newline: false } },
    },
    {
      sent: {
        field: '',
        target_field: '.at',
        parser: 'parse_timestamp',
        options: { format: 'Custom', custom_format: '%d-%b-%YT%T' },
      },
    },
  ],

  examples: [
    {
      title: 'a query becomes an object beside its text',
      config: { field: '.q', target_field: '.args', parser: 'parse_query_string' },
      steps: [
        {
          event: { q: '?oven=4&oven=7&dry' },
          outcome: pass({ q: '?oven=4&oven=7&dry', args: { oven: ['4', '7'], dry: '' } }),
        },
      ],
    },
    {
      title: 'without a target the result takes the place of the text, which may be the whole message',
      config: { field: '', parser: 'parse_json' },
      steps: [
        { event: '{"b":1,"a":12345678901234567890}', outcome: pass({ b: 1, a: 12345678901234567890n }) },
        { event: '[1]', outcome: pass([1]) },
      ],
    },
    {
      title: 'an event without the field, or with another value, passes unchanged, and the error is recorded',
      config: { field: '.line', target_field: '.n', parser: 'parse_int' },
      steps: [
        { event: { line: '0x10', n: 'old' }, outcome: pass({ line: '0x10', n: 16 }) },
        {
          event: { n: 1 },
          outcome: pass({ n: 1 }, 'E_NOT_FOUND', { field: '.line' }),
          errors: [['E_NOT_FOUND', '.line']],
        },
        {
          event: { line: 'ten' },
          outcome: pass({ line: 'ten' }, 'E_PARSE_FAILED', { field: '.line', found: 'string' }),
          errors: [['E_PARSE_FAILED', '.line']],
        },
        {
          event: { line: null },
          outcome: pass({ line: null }, 'E_PARSE_FAILED', { field: '.line', found: 'null' }),
          errors: [['E_PARSE_FAILED', '.line']],
        },
      ],
    },
  ],
})

function inThousands(count: number): string {
  return count.toLocaleString('en-US')
}
