import Type from 'typebox'
import { capturingProblem, compileCapturing } from '../../../expressions/captures/capturing-expression.ts'
import { objectsWith } from '../../../json/ordered-object.ts'
import { RegularExpressionText } from '../../contract/config-schema.ts'
import { CLOSED, defineParser } from './define-parser.ts'

/**
 * Named groups of the first match of a regular expression, anywhere in the text. A group that took no part is null. An expression
 * without named groups is saved, because clients send such expressions, but it cannot be published. (Our choice.)
 */
export const regex = defineParser({
  id: 'parse_regex',
  options: Type.Object(
    {
      pattern: RegularExpressionText({
        description:
          'Expression; its named groups are the result. One without named groups is saved, and cannot be published',
      }),
      case_sensitive: Type.Optional(Type.Boolean({ default: true, description: 'Tell cases apart' })),
      multiline: Type.Optional(
        Type.Boolean({ default: false, description: '^ and $ match at the ends of lines, too' }),
      ),
      match_newline: Type.Optional(
        Type.Boolean({ default: false, description: 'The point matches line feeds, too' }),
      ),
      crlf_newline: Type.Optional(
        Type.Boolean({ default: false, description: 'Lines end with carriage return and line feed' }),
      ),
    },
    CLOSED,
  ),
  optionsRequired: true,
  runProblems({ pattern }: { readonly pattern?: unknown }) {
    // The options of a node that is being edited may be incomplete.
    if (typeof pattern !== 'string') return []
    const message = capturingProblem(pattern) ?? namesProblem(pattern)
    return message === undefined ? [] : [{ instancePath: '/pattern', message }]
  },
  compile(options, meter) {
    const { pattern, case_sensitive: isCaseSensitive = true, multiline = false } = options
    const { match_newline: dotAll = false, crlf_newline: crlf = false } = options
    const flags = { ignoreCase: !isCaseSensitive, multiline, dotAll, crlf }
    const expression = compileCapturing(pattern, flags)
    const { names } = expression
    const objectOf = objectsWith(names.map(({ name }) => name))
    return text => {
      const captures = meter.count(() => expression.find(text))
      if (captures === null) return undefined
      return objectOf(
        names.map(({ number }) => {
          const start = captures[2 * number] as number
          return start < 0 ? null : text.slice(start, captures[2 * number + 1])
        }),
      )
    }
  },
  examples: [
    {
      text: 'the door north-17 is open',
      options: { pattern: '(?P<door>[a-z]+)-(?<number>\\d{2})' },
      value: { door: 'north', number: '17' },
    },
    {
      text: 'GET /doors',
      options: { pattern: '^(?<method>[A-Z]+) (?<path>[^ ?]+)(?:\\?(?<query>\\S*))?' },
      value: { method: 'GET', path: '/doors', query: null },
    },
    {
      text: 'DOOR: open\nLEVEL: high',
      options: { pattern: '^level: (?<level>\\w+)$', case_sensitive: false, multiline: true },
      value: { level: 'high' },
    },
    {
      text: 'a: 1\r\nb: 2\r\n',
      options: { pattern: '^a: (?<a>.*)$', multiline: true, crlf_newline: true },
      value: { a: '1' },
    },
    {
      text: 'at door\nnorth',
      options: { pattern: 'at (?<rest>.*)', match_newline: true },
      value: { rest: 'door\nnorth' },
    },
    { text: 'the DOOR is open', options: { pattern: '(?<door>door)' } },
  ],
})

function namesProblem(pattern: string): string | undefined {
  return compileCapturing(pattern).names.length > 0
    ? undefined
    : 'must have a named group, such as (?<name>[a-z]+): the named groups are the result'
}
