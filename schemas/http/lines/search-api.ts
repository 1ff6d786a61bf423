import Type from 'typebox'
import { named } from '../../named.ts'
import { V3_ERROR_REPLIES } from '../error-replies.ts'
import { LineLists, LineRecord, SearchedPeriod, SearchQuery } from './export-api.ts'

/** Bounds of the number of lines, and its default. */
export const SEARCH_LINES = { min: 1, max: 10_000, usual: 1000 } as const

const FoundLines = named(
  'FoundLines',
  Type.Object({
    lines: Type.Array(LineRecord, { description: 'Further lines, in the order of the search.' }),
  }),
)

const SearchProgress = named(
  'SearchProgress',
  Type.Object({
    progress: Type.Object({
      covered_to: Type.Integer({
        description:
          'UNIX milliseconds. The period was searched from its preferred end to this time, inclusive.',
      }),
      rows: Type.Integer({
        minimum: 0,
        description:
          'Lines that were read. Where filters of words name the lines to read, those of a segment count as a whole.',
      }),
    }),
  }),
)

const SearchEnd = named(
  'SearchEnd',
  Type.Object({
    end: Type.Object({
      next: Type.Union([Type.String(), Type.Null()], {
        description:
          'Position of the last line, for `after`; null if the whole period was searched. It is also there if no further line follows.',
      }),
      access: Type.Enum(['order', 'index', 'scan'], {
        description: 'Way in which the lines were found: see the header `x-weir-search` of exports.',
      }),
    }),
  }),
)

/** Schema for the API document: the handler validates by itself. */
export const SEARCH = {
  summary: 'Search lines; the answer is a stream of pieces, each a line of JSON',
  description: `The newest lines come first, or the oldest with \`order=oldest\`; lines of one time are ordered by their ids. The period is searched in parts, so the first lines come soon. Pieces are \`lines\`, \`progress\`, and finally \`end\`; an answer without \`end\` is incomplete. The search ends when the client leaves.`,
  tags: ['search'],
  querystring: Type.Object({
    ...SearchedPeriod,
    ...SearchQuery,
    ...LineLists,
    order: Type.Optional(
      Type.Union([Type.Literal('newest'), Type.Literal('oldest')], {
        default: 'newest',
        description: 'Lines that come first.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: SEARCH_LINES.min,
        maximum: SEARCH_LINES.max,
        default: SEARCH_LINES.usual,
        description: 'Maximum number of lines.',
      }),
    ),
    after: Type.Optional(
      Type.String({
        description:
          'Position of a line: only lines that follow it in the order of the search are returned. It is `next` of an earlier answer, or `_ts` and `_id` of any line with a hyphen between them, and can be used with any order, period and query.',
      }),
    ),
  }),
  response: {
    200: {
      description: 'Pieces, one per line of text',
      content: {
        'application/x-ndjson': { schema: Type.Union([FoundLines, SearchProgress, SearchEnd]) },
      },
    },
    ...V3_ERROR_REPLIES,
  },
}
