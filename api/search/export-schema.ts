import Type from 'typebox'

export const LineLists = {
  hosts: Type.Optional(Type.String({ description: 'Exact names, separated by commas; empty: no filter.' })),
  apps: Type.Optional(Type.String({ description: 'Exact names, separated by commas; empty: no filter.' })),
  levels: Type.Optional(Type.String({ description: 'The same, without regard to case.' })),
  tags: Type.Optional(Type.String({ description: 'The same; one of them is enough.' })),
}

function searchParameters(maxLines: number) {
  return {
    from: Type.Integer({ description: 'UNIX seconds or milliseconds, told by magnitude. Inclusive.' }),
    to: Type.Integer({ description: 'The same. A second is included as a whole.' }),
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLines, default: maxLines })),
    ...LineLists,
    query: Type.Optional(Type.String({ description: 'Search query; empty: every line. Also called q.' })),
    prefer: Type.Optional(
      Type.Union([Type.Literal('head'), Type.Literal('tail')], {
        default: 'tail',
        description: 'Which end is kept when there are more lines: the oldest, or the newest.',
      }),
    ),
  }
}

export const LineRecord = Type.Object(
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
)

/** How the lines of an answer were found. */
export const ACCESS_HEADER = 'x-weir-search'

const ACCESS_DESCRIPTION = `Header \`${ACCESS_HEADER}\` tells how the lines are found: \`order\`, every line of the time asked for is one; \`index\`, an index of words names the places to read; \`scan\`, the lines of the time asked for are looked at one after the other until there are as many as are wanted.`

/** Days on which fields were not all indexed, where the query asks for one by name. */
export const INCOMPLETE_HEADER = 'x-weir-incomplete'

const INCOMPLETE_DESCRIPTION = `Header \`${INCOMPLETE_HEADER}: fields; days="2026-11-20, 2026-11-21"\` is there when the query asks for a field by name, and the account sent more names of fields on these UTC days than the 500 that are indexed: lines may be missing whose field came later. Of more than 31 days the newest stand there, and \`more\` tells how many others there are.`

/** For the API document: the handlers validate by themselves. */
export function exportSchema(maxLines: number) {
  return {
    summary: 'Search lines; one record per line of text',
    description: `${ACCESS_DESCRIPTION} With \`prefer=head\` lines are sent while the search goes on. ${INCOMPLETE_DESCRIPTION}`,
    tags: ['search'],
    produces: ['application/x-ndjson'],
    querystring: Type.Object({
      ...searchParameters(maxLines),
      email: Type.Optional(Type.String({ description: 'Not supported: 400.' })),
    }),
  }
}

export function pagedExportSchema(maxLines: number) {
  return {
    summary: 'Search lines page by page',
    description: `${ACCESS_DESCRIPTION} ${INCOMPLETE_DESCRIPTION}`,
    tags: ['search'],
    querystring: Type.Object({
      ...searchParameters(maxLines),
      pagination_id: Type.Optional(
        Type.String({ maxLength: 512, description: 'From the page before; all else stays the same.' }),
      ),
    }),
    response: {
      200: Type.Object({
        lines: Type.Array(LineRecord),
        pagination_id: Type.Union([Type.String({ maxLength: 512 }), Type.Null()], {
          description: 'Null on the last page.',
        }),
      }),
    },
  }
}
