import Type from 'typebox'
import type { JsonValue } from '../../json.ts'
import type { Keywords } from '../../keywords.ts'
import { named } from '../../named.ts'
import { CategoryNames } from './category.ts'

/** Our choice: a page with more graphs is of no use. */
const MAX_GRAPHS = 1_000

const GraphId = Type.String({ pattern: '^[0-9a-f]{10}$', description: 'Ten hexadecimal digits.' })
const GraphType = Type.Enum(['line', 'bar', 'table', 'count'])
const Words = Type.Array(Type.String({ minLength: 1 }))

const graphMembers = {
  title: Type.Optional(Type.String()),
  query: Type.Optional(Type.String({ searchQuery: true } satisfies Keywords)),
  hosts: Type.Optional(Words),
  apps: Type.Optional(Words),
  levels: Type.Optional(Words),
  tags: Type.Optional(Words),
  field: Type.Optional(Type.String()),
  aggregation: Type.Optional(Type.Enum(['count', 'sum', 'avg', 'min', 'max', 'p95'])),
  groupby: Type.Optional(Type.String()),
  interval: Type.Optional(Type.String()),
}

/** Members that are not named here are kept and answered as they are. */
export const BoardGraph = named(
  'BoardGraph',
  Type.Object({ graphid: GraphId, type: GraphType, ...graphMembers }),
)
export type BoardGraph = Type.Static<typeof BoardGraph> & { readonly [member: string]: JsonValue | undefined }

const BoardGraphWrite = named(
  'BoardGraphWrite',
  Type.Object({
    graphid: Type.Optional(GraphId),
    type: Type.Optional(Type.Enum(['line', 'bar', 'table', 'count'], { default: 'line' })),
    ...graphMembers,
  }),
)

/** A full replacement: omitted members get their defaults. */
export const BoardWrite = named(
  'BoardWrite',
  Type.Object({
    title: Type.String({ minLength: 1 }),
    graphs: Type.Optional(
      Type.Array(BoardGraphWrite, {
        maxItems: MAX_GRAPHS,
        ...({ distinctBy: 'graphid' } satisfies Keywords),
      }),
    ),
    order: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Ids of graphs; the remaining graphs follow in their order.',
      }),
    ),
    category: Type.Optional(CategoryNames),
  }),
)
export type BoardWrite = Type.Static<typeof BoardWrite>

export const BoardRecord = named(
  'BoardRecord',
  Type.Object({
    boardid: Type.String(),
    account: Type.String(),
    title: Type.String(),
    graphs: Type.Array(BoardGraph),
    order: Type.Array(Type.String()),
    category: Type.Array(Type.String()),
  }),
)
export type BoardRecord = Type.Static<typeof BoardRecord>
