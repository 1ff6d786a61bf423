import { hash } from 'node:crypto'
import Type from 'typebox'
import { isJsonObject, type JsonObject } from '../../../schemas/json.ts'
import { TWELFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { foundType } from '../../event/errors.ts'
import { fieldAt } from '../../event/field-path.ts'
import { route } from '../../event/outcome.ts'
import { type Problem, pointerTo } from '../../event/problem.ts'
import { jsonText } from '../../json/json-text.ts'
import { defineProcessor } from '../contract/define-processor.ts'
import { outputNameOf, UNMATCHED } from '../options/output-name.ts'
import { parsedField, parsedFieldMembers } from './parse.ts'
import {
  compileParser,
  parserMembers,
  parserProblems,
  parserRunProblems,
  withParserDefaults,
} from './parsers/parsers.ts'

const NAME_DIGITS = 32

/**
 * Parse sequentially: tries parsers on one field; the event leaves by the output of the first that succeeds, or by
 * `_unmatched`. Rules: components, section 5.16; names of outputs: pipeline API, section 2.3.
 */
export const parseSequentially = defineProcessor({
  type: 'parse-sequentially',
  since: TWELFTH_BEHAVIOUR,
  summary: 'Try parsers one after the other, and send events on by which succeeds.',
  config: Type.Object(
    {
      ...parsedFieldMembers,
      parsers: Type.Array(
        Type.Object(
          {
            ...parserMembers,
            label: Type.Optional(Type.String({ description: 'Name shown for the output' })),
            _output_name: Type.Optional(Type.String({ description: 'Given by the server' })),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, description: 'Parsers, in order of trial' },
      ),
    },
    { additionalProperties: false },
  ),
  errors: ['E_NOT_FOUND', 'E_PARSE_FAILED', 'E_EXPRESSION_COST'],

  check: ({ parsers }) => (Array.isArray(parsers) ? entryProblems(parsers) : []),
  complete: stored => ({
    ...stored,
    parsers: entriesOf(stored).map(entry => {
      const complete = withParserDefaults(entry)
      return { ...complete, _output_name: hash('sha256', identityOf(complete)).slice(0, NAME_DIGITS) }
    }),
  }),
  outputs: config => [
    UNMATCHED,
    ...entriesOf(config).map(entry => ({
      name: outputNameOf(entry),
      label: String(entry.label || entry.parser),
    })),
  ],
  runProblems: config =>
    entriesOf(config).flatMap((entry, index) => parserRunProblems(entry, pointerTo('/parsers', index))),

  compile(config, report, meter) {
    const place = parsedField(config, meter)
    const entries = entriesOf(config).map(entry => ({
      parser: compileParser(entry, meter),
      outputs: [outputNameOf(entry)],
    }))
    const unmatched = [UNMATCHED.name]
    const { field } = place
    return (event, _state, nowMs) => {
      const text = place.textIn(event)
      if (text === undefined) report('E_NOT_FOUND', { field })
      if (text === null) report('E_PARSE_FAILED', { field, found: foundType(fieldAt(field).read(event)) })
      if (typeof text !== 'string') return route(event, unmatched)
      for (const { parser, outputs } of entries) {
        const parsed = place.parsed(event, text, parser, nowMs)
        if (parsed !== undefined) return route(parsed, outputs)
      }
      return route(event, unmatched)
    }
  },

  configs: [
    {
      sent: {
        field: '.line',
        parsers: [
          { parser: 'parse_json' },
          { parser: 'parse_nginx_log', label: 'web', options: { format: 'combined' } },
        ],
      },
      defaults: {
        target_field: '',
        parsers: [
          { _output_name: 'XXXXXXXX' },
          { options: { timestamp_format: '%d/%b/%Y:%T %z' }, _output_name: 'XXXXXXXX' },
        ],
      },
    },
  ],

  examples: [
    {
      title: 'the first parser that succeeds names the output; what is not a text leaves by _unmatched',
      config: {
        field: '.line',
        parsers: [
          { parser: 'parse_json', _output_name: 'json' },
          { parser: 'parse_key_value', label: 'pairs', _output_name: 'pairs' },
        ],
      },
      steps: [
        { event: { line: '{"a":1}' }, outcome: route({ line: { a: 1 } }, ['json']) },
        { event: { line: 'a=1 b' }, outcome: route({ line: { a: '1', b: true } }, ['pairs']) },
        {
          event: { line: 5 },
          outcome: route({ line: 5 }, ['_unmatched']),
          errors: [['E_PARSE_FAILED', '.line']],
        },
        { event: {}, outcome: route({}, ['_unmatched']), errors: [['E_NOT_FOUND', '.line']] },
      ],
    },
    {
      title: 'expressions and grok patterns are tried like other parsers',
      config: {
        field: '.line',
        parsers: [
          { parser: 'parse_grok', options: { pattern: '%{WORD:part} %{INT:nr}' }, _output_name: 'grok' },
          { parser: 'parse_regex', options: { pattern: '^(?<code>E\\d+)' }, _output_name: 'code' },
        ],
      },
      steps: [
        { event: { line: 'oven 4' }, outcome: route({ line: { part: 'oven', nr: '4' } }, ['grok']) },
        { event: { line: 'E17: open' }, outcome: route({ line: { code: 'E17' } }, ['code']) },
        { event: { line: 'open' }, outcome: route({ line: 'open' }, ['_unmatched']) },
      ],
    },
    {
      title: 'an event that no parser accepts leaves unchanged, which is not an error',
      config: { field: '.at', target_field: '.n', parsers: [{ parser: 'parse_int', _output_name: 'int' }] },
      steps: [
        { event: { at: 'noon' }, outcome: route({ at: 'noon' }, ['_unmatched']) },
        { event: { at: '12' }, outcome: route({ at: '12', n: 12 }, ['int']) },
      ],
    },
  ],
})

/**
 * Returns the parsers; none when the options were refused, because outputs are needed even then, to report all findings
 * at once.
 */
function entriesOf({ parsers }: { readonly parsers?: unknown }): JsonObject[] {
  return Array.isArray(parsers) ? parsers.filter(isJsonObject) : []
}

function entryProblems(entries: readonly unknown[]): Problem[] {
  const seen = new Set<string>()
  return entries.flatMap((entry, index) => {
    if (!isJsonObject(entry)) return []
    const at = pointerTo('/parsers', index)
    const problems = parserProblems(entry, at)
    if (problems.length > 0 || typeof entry.parser !== 'string') return problems
    const identity = identityOf(withParserDefaults(entry))
    if (!seen.has(identity)) {
      seen.add(identity)
      return []
    }
    const message = `parser ${entry.parser} cannot be defined more than once with the same options.`
    return [{ instancePath: at, message }]
  })
}

/** Parser and options as text, regardless of the order of the options; absent options equal empty ones. */
function identityOf({ parser = '', options }: JsonObject): string {
  const members = Object.entries(isJsonObject(options) ? options : {})
  return jsonText([parser, ...members.sort(([one], [other]) => (one < other ? -1 : 1))])
}
