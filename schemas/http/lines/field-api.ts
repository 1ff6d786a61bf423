import Type from 'typebox'
import { named } from '../../named.ts'
import { EnvelopeOf } from '../envelope.ts'
import { V3_ERROR_REPLIES } from '../error-replies.ts'
import { BUDGET_MS } from './count-api.ts'
import { LineLists, SearchedPeriod, SearchQuery } from './export-api.ts'

/** Bounds of the number of names or values, and its default. */
export const COMPLETIONS = { min: 1, max: 1000, usual: 100 } as const
/** Lines that are read at most. */
export const MAX_READ_LINES = 100_000
export const MAX_EXAMPLES = 3
/** Longer names and values complete nothing. In UTF-16 code units. */
export const MAX_COMPLETION_CHARACTERS = 512

const READ = `The newest ${MAX_READ_LINES.toLocaleString('en')} lines that the search finds are read, until \`budget_ms\` is over.`

const Completed = {
  ...SearchedPeriod,
  ...SearchQuery,
  ...LineLists,
  limit: Type.Optional(
    Type.Integer({
      minimum: COMPLETIONS.min,
      maximum: COMPLETIONS.max,
      default: COMPLETIONS.usual,
      description: 'At most this many, those of most lines first.',
    }),
  ),
  budget_ms: Type.Optional(
    Type.Integer({ minimum: BUDGET_MS.min, maximum: BUDGET_MS.max, default: BUDGET_MS.usual }),
  ),
}

const Lines = Type.Integer({ minimum: 0 })
const Coverage = {
  more: Type.Boolean({ description: 'Whether there are further ones that are not listed.' }),
  of_lines: Type.Integer({ minimum: 0, description: 'Lines that were read.' }),
  complete: Type.Boolean({ description: 'Whether all lines that the search finds were read.' }),
  covered_from: Type.Integer({ description: 'UNIX milliseconds. Older lines were not read.' }),
}

const FieldsOfLines = named(
  'FieldsOfLines',
  Type.Object({
    fields: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name in the query language.' }),
        type: Type.Enum(['text', 'number', 'both'], { description: 'Kind of its values.' }),
        lines: Lines,
        examples: Type.Array(Type.String(), {
          maxItems: MAX_EXAMPLES,
          description: 'Different values, the newest first. Values above 512 characters are not shown.',
        }),
      }),
      { description: 'Fields of the most lines first.' },
    ),
    ...Coverage,
  }),
)

const ValuesOfField = named(
  'ValuesOfField',
  Type.Object({
    field: Type.String(),
    values: Type.Array(Type.Object({ value: Type.String(), lines: Lines }), {
      description: 'Values of the most lines first. Values above 512 characters are not listed.',
    }),
    ...Coverage,
  }),
)

/** Schemas for the API document: the handlers validate by themselves. */
export const FIELDS = {
  summary: 'List the fields of the newest lines that a search finds',
  description: `For completion of names. ${READ}`,
  tags: ['search'],
  querystring: Type.Object({
    ...Completed,
    prefix: Type.Optional(
      Type.String({ description: 'Only names that begin with it, in upper or lower case.' }),
    ),
  }),
  response: { 200: EnvelopeOf(FieldsOfLines), ...V3_ERROR_REPLIES },
}

export const VALUES = {
  summary: 'List the values of a field in the newest lines that a search finds',
  description: `For completion of values. ${READ}`,
  tags: ['search'],
  querystring: Type.Object({
    ...Completed,
    field: Type.String({
      description:
        'app, host, level, file, env, tag or the name of a parsed field, as in the query language.',
    }),
    prefix: Type.Optional(
      Type.String({ description: 'Only values that begin with it, in upper or lower case.' }),
    ),
  }),
  response: { 200: EnvelopeOf(ValuesOfField), ...V3_ERROR_REPLIES },
}
