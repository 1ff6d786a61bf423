import { Graph, layout } from '@dagrejs/dagre'
import type { PipelineFile } from '../document/file.ts'
import { connectionsOf, edgeId, nodesOf, type PlacedNode } from '../document/nodes.ts'
import { type Output, outputsOf } from '../document/outputs.ts'

export const NODE_WIDTH = 208
const HEAD_HEIGHT = 52
const OUTPUT_HEIGHT = 24
const FIGURES_HEIGHT = 46
/** Space between columns, which figures of edges need as well. */
const COLUMN_GAP = 56
const COUNTED_COLUMN_GAP = 136
const BRIEF_COLUMN_GAP = 84

/** A node at its place on the canvas, in pixels from the upper left corner. */
export interface LaidOutNode {
  readonly placed: PlacedNode
  readonly outputs: readonly Output[]
  readonly x: number
  readonly y: number
  readonly height: number
  /** Column from the left, from 0. */
  readonly rank: number
}

/** Figures that a picture has room for. */
export interface FiguresShown {
  readonly ofNodes: boolean
  readonly ofEdges: boolean
  /** Whether figures of edges are numbers of events alone. */
  readonly isBrief?: boolean
}

/** Place at which a connection crosses a column between its nodes without touching a node there. */
export interface Crossing {
  readonly left: number
  readonly right: number
  readonly y: number
}

/** Places of nodes and connections. */
export interface LaidOutGraph {
  readonly nodes: readonly LaidOutNode[]
  /** Crossings of connections by `edgeId`, from left to right; none between neighbouring columns. */
  readonly crossings: ReadonlyMap<string, readonly Crossing[]>
}

/** Lays a pipeline out from left to right. A document has no coordinates: equal documents have equal pictures. */
export function laidOut(
  document: PipelineFile,
  { ofNodes, ofEdges, isBrief = false }: FiguresShown,
): LaidOutGraph {
  const graph = new Graph({ multigraph: true })
  const countedGap = isBrief ? BRIEF_COLUMN_GAP : COUNTED_COLUMN_GAP
  const ranksep = ofEdges ? countedGap : COLUMN_GAP
  graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep, marginx: 16, marginy: 16 })
  graph.setDefaultEdgeLabel(() => ({}))
  const nodes = nodesOf(document).map(placed => {
    const outputs = placed.kind === 'sink' ? [] : outputsOf(placed.node)
    const height =
      HEAD_HEIGHT + (outputs.length > 1 ? outputs.length * OUTPUT_HEIGHT : 0) + (ofNodes ? FIGURES_HEIGHT : 0)
    return { placed, outputs, height }
  })
  const connections = connectionsOf(document)
  for (const { placed, height } of nodes) graph.setNode(placed.node.name, { width: NODE_WIDTH, height })
  for (const { from, to, reference } of connections) graph.setEdge(from, to, {}, reference)
  layout(graph)
  const middleOf = (name: string) => graph.node(name) as Point
  const columns = [...new Set(nodes.map(({ placed }) => middleOf(placed.node.name).x))].sort((a, b) => a - b)
  return {
    nodes: nodes.map(({ placed, outputs, height }) => {
      const { x, y } = middleOf(placed.node.name)
      return {
        ...{ placed, outputs, height },
        x: x - NODE_WIDTH / 2,
        y: y - height / 2,
        rank: columns.indexOf(x),
      }
    }),
    crossings: new Map(
      connections.map(connection => {
        const { from, to, reference } = connection
        const { points } = graph.edge(from, to, reference) as { readonly points: readonly Point[] }
        const between = columns.filter(x => x > middleOf(from).x && x < middleOf(to).x)
        return [edgeId(connection), between.map(x => crossingAt(x, points))]
      }),
    ),
  }
}

interface Point {
  readonly x: number
  readonly y: number
}

/** @param points corners of the connection, from left to right */
function crossingAt(x: number, points: readonly Point[]): Crossing {
  const next = Math.max(
    points.findIndex(point => point.x >= x),
    1,
  )
  const before = points[next - 1] as Point
  const after = points[next] as Point
  const part = after.x === before.x ? 0 : (x - before.x) / (after.x - before.x)
  return { left: x - NODE_WIDTH / 2, right: x + NODE_WIDTH / 2, y: before.y + part * (after.y - before.y) }
}

export type Direction = 'left' | 'right' | 'up' | 'down'

/** Name of the node to which an arrow key leads: along an edge, or to the next node of the column. */
export function neighbourOf(
  document: PipelineFile,
  nodes: readonly LaidOutNode[],
  name: string,
  direction: Direction,
): string | undefined {
  const present = nodes.find(({ placed }) => placed.node.name === name)
  if (present === undefined) return nodes[0]?.placed.node.name
  if (direction === 'left' || direction === 'right') {
    const connections = connectionsOf(document)
    return direction === 'left'
      ? connections.find(({ to }) => to === name)?.from
      : connections.find(({ from }) => from === name)?.to
  }
  const column = nodes.filter(({ rank }) => rank === present.rank).sort((a, b) => a.y - b.y)
  return column[column.indexOf(present) + (direction === 'down' ? 1 : -1)]?.placed.node.name
}
