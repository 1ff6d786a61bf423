import { hash } from 'node:crypto'
import Type from 'typebox'
import { isJsonObject, type JsonObject } from '../../../schemas/json.ts'
import { type Problem, pointerTo } from '../../event/problem.ts'
import { jsonText } from '../../json/json-text.ts'
import { declareProcessor } from '../contract/define-processor.ts'
import { outputNameOf, UNMATCHED } from '../options/output-name.ts'
import { parsedFieldMembers } from './parse.ts'
import { parserMembers, parserProblems, withParserDefaults } from './parsers.ts'

const NAME_DIGITS = 32

/**
 * Parse sequentially: tries parsers on one field; the event leaves by the output of the first that succeeds, or by
 * `_unmatched`. Rules: components, section 5.16; names of outputs: pipeline API, section 2.3.
 */
export const parseSequentially = declareProcessor({
  type: 'parse-sequentially',
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
