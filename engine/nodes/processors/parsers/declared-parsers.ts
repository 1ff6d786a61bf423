import Type from 'typebox'
import { GrokPattern, RegularExpressionText } from '../../contract/config-schema.ts'
import { CLOSED, declareParser } from './define-parser.ts'

/** Labelled captures of a grok pattern. This program does not run it yet. */
export const grok = declareParser({
  id: 'parse_grok',
  options: Type.Object(
    { pattern: GrokPattern({ description: 'Pattern such as %{WORD:part} %{NUMBER:number}' }) },
    CLOSED,
  ),
  optionsRequired: true,
})

/** Named groups of a regular expression. This program does not run it yet. */
export const regex = declareParser({
  id: 'parse_regex',
  options: Type.Object(
    {
      pattern: RegularExpressionText({ description: 'Expression; its named groups are the result' }),
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
})
