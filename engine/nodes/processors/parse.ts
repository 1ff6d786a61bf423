import Type from 'typebox'
import { FieldPath } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'
import { parserMembers, parserProblems, withParserDefaults } from './parsers.ts'

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

/** Parse: turns a text into structure. Rules: components, section 5.14. */
export const parse = declareProcessor({
  type: 'parse',
  summary: 'Turn a text into structure.',
  config: Type.Object({ ...parsedFieldMembers, ...parserMembers }, { additionalProperties: false }),
  check: sent => parserProblems(sent),
  complete: withParserDefaults,
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
})
