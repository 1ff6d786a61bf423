import Type from 'typebox'
import { named } from '../../named.ts'
import { LineLists, LineRecord } from './export-api.ts'

export const TailedLines = named(
  'TailedLines',
  Type.Object({
    e: Type.Literal('p'),
    p: Type.Array(LineRecord, { maxItems: 100, description: 'Lines, in the order of acceptance.' }),
  }),
)

export const TailGap = named(
  'TailGap',
  Type.Object({
    e: Type.Literal('meta'),
    p: Type.Object({
      dropped: Type.Integer({ description: 'Lines that were not sent, since the last such message.' }),
      not_filtered: Type.Optional(
        Type.Integer({
          description: 'Number of them that were not compared with the conditions of the tail.',
        }),
      ),
    }),
  }),
)

/** Schema only for the API document: the handlers validate themselves. */
export const tailSchema = {
  summary: 'Watch lines as they are accepted: a WebSocket of JSON messages',
  tags: ['search'],
  querystring: Type.Object({
    q: Type.Optional(Type.String({ description: 'Search query; empty: every line. Also called query.' })),
    ...LineLists,
  }),
  response: {
    101: {
      description: 'Messages of the WebSocket',
      content: { 'application/json': { schema: Type.Union([TailedLines, TailGap]) } },
    },
  },
}
