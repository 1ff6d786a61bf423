import Type from 'typebox'
import { named } from '../../named.ts'
import { V1_ERROR_REPLIES } from '../error-replies.ts'
import { TIME_FORMS } from '../time-forms.ts'

export const LineLists = {
  hosts: Type.Optional(Type.String({ description: 'Comma-separated exact names; empty: no filter.' })),
  apps: Type.Optional(Type.String({ description: 'Comma-separated exact names; empty: no filter.' })),
  levels: Type.Optional(
    Type.String({ description: 'Comma-separated names, without regard to case; empty: no filter.' }),
  ),
  tags: Type.Optional(
    Type.String({ description: 'Comma-separated exact names, of which one must match; empty: no filter.' }),
  ),
}

const Time = (description: string) => Type.Union([Type.Integer(), Type.String()], { description })

export const SearchedPeriod = {
  from: Time(`Start of the period, inclusive: ${TIME_FORMS}.`),
  to: Time('End of the period, in the same forms. A second or a date is included as a whole.'),
}

export const SearchQuery = {
  query: Type.Optional(Type.String({ description: 'Search query; empty: every line. Also called q.' })),
}

function searchParameters(maxLines: number) {
  return {
    ...SearchedPeriod,
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLines, default: maxLines })),
    ...LineLists,
    ...SearchQuery,
    prefer: Type.Optional(
      Type.Union([Type.Literal('head'), Type.Literal('tail')], {
        default: 'tail',
        description: 'Lines to return if there are more than the size: the oldest or the newest.',
      }),
    ),
  }
}

export const LineRecord = named(
  'LineRecord',
  Type.Object(
    {
      _id: Type.String(),
      _account: Type.String(),
      _ts: Type.Integer({ description: 'UNIX milliseconds.' }),
      _host: Type.String(),
      _app: Type.String(),
      _line: Type.String(),
      level: Type.String(),
      _logtype: Type.String(),
      _retention: Type.Integer(),
      _mezmo_line_size: Type.Integer(),
    },
    { additionalProperties: true },
  ),
)

const LinePage = named(
  'LinePage',
  Type.Object({
    lines: Type.Array(LineRecord),
    pagination_id: Type.Union([Type.String({ maxLength: 512 }), Type.Null()], {
      description: 'Null on the last page.',
    }),
  }),
)

/** Header with the method by which the lines of an answer are found. */
export const ACCESS_HEADER = 'x-weir-search'

const ACCESS_DESCRIPTION = `Header \`${ACCESS_HEADER}\` shows how the lines are found. \`order\`: every line of the period matches. \`index\`: an index of words gives the places to read. \`scan\`: the lines of the period are read one after the other until there are enough.`

/** Days on which some fields were not indexed, if the query names a field. */
export const INCOMPLETE_HEADER = 'x-weir-incomplete'

export const INCOMPLETE_DESCRIPTION = `Header \`${INCOMPLETE_HEADER}: fields; days="2026-11-20, 2026-11-21"\` is present if the query names a field, and the account sent more than the 500 indexed names of fields on these UTC days. Lines whose field came later may be missing. The newest 31 days are listed, and \`more\` is the number of the others.`

/** Schema for the API document: the handlers validate by themselves. */
export function exportSchema(maxLines: number) {
  return {
    summary: 'Search lines; one record per line of text',
    description: `${ACCESS_DESCRIPTION} With \`prefer=head\` lines are sent while the search continues.`,
    tags: ['search'],
    querystring: Type.Object({
      ...searchParameters(maxLines),
      email: Type.Optional(Type.String({ description: 'Not supported: 400.' })),
    }),
    response: {
      200: {
        description: 'A record per line of text, as JSON',
        content: { 'application/x-ndjson': { schema: Type.String() } },
      },
      ...V1_ERROR_REPLIES,
    },
  }
}

export function pagedExportSchema(maxLines: number) {
  return {
    summary: 'Search lines page by page',
    description: `${ACCESS_DESCRIPTION}`,
    tags: ['search'],
    querystring: Type.Object({
      ...searchParameters(maxLines),
      pagination_id: Type.Optional(
        Type.String({
          maxLength: 512,
          description: 'Token of the previous page; all other parameters must be the same.',
        }),
      ),
    }),
    response: { 200: LinePage, ...V1_ERROR_REPLIES },
  }
}
