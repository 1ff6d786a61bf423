import Type from 'typebox'
import { named } from '../../named.ts'
import { LineLists, LineRecord } from './export-api.ts'

/** Bounds of the lines per second of a thinned tail. */
export const MAX_PER_S = { min: 1, max: 100_000 } as const

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
      dropped: Type.Integer({
        description:
          'Lines that could not be sent, since the last such message; 0 if lines were only thinned.',
      }),
      not_filtered: Type.Optional(
        Type.Integer({
          description: 'Number of them that were not compared with the conditions of the tail.',
        }),
      ),
      thinned: Type.Optional(
        Type.Integer({
          description: 'Lines beyond max_per_s, which were left out since the last such message.',
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
    after: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,39}$',
        description:
          '`_id` of a line of an earlier tail: lines behind it come first. For an account on several partitions, some ' +
          'lines may come again. 404: the log no longer has the line.',
      }),
    ),
    max_per_s: Type.Optional(
      Type.Integer({
        minimum: MAX_PER_S.min,
        maximum: MAX_PER_S.max,
        description: 'Lines per second at most: the first ones of each second are sent.',
      }),
    ),
  }),
  response: {
    101: {
      description: 'Messages of the WebSocket',
      content: { 'application/json': { schema: Type.Union([TailedLines, TailGap]) } },
    },
  },
}
