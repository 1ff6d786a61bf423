import type { PipelineGraph } from '../../api/pipelines.ts'
import type { PipelineFile } from '../document/file.ts'
import { connectionsOf, edgeId } from '../document/nodes.ts'
import type { LiveMetrics, PipelineMetrics } from '../requests.ts'
import type { EdgeFigures, FiguresByEdge, NodeFigures } from './figures.ts'

/** Counts of the running document, by the ids that the server gives to nodes and outputs. */
export interface RunningCounts {
  readonly nodes: ReadonlyMap<string, NodeFigures>
  /** Figures by the id of the output, a space, and the id of the node that reads it. */
  readonly edges: ReadonlyMap<string, EdgeFigures>
  readonly isRate: boolean
}

/** Figures by the names of a document. */
export interface NamedFigures {
  readonly nodes: ReadonlyMap<string, NodeFigures>
  readonly edges: FiguresByEdge
}

const MS_PER_SECOND = 1_000

/** Live counts as numbers of each second. */
export function liveRates({ over_ms: overMs, nodes, edges }: LiveMetrics): RunningCounts {
  const rate = (events: number) => Math.round((events * MS_PER_SECOND) / Math.max(overMs, 1))
  return {
    isRate: true,
    nodes: new Map(
      nodes.map(each => [
        each.node,
        {
          eventsIn: rate(each.events_in),
          eventsOut: rate(each.events_out),
          dropped: rate(each.dropped),
          failed: rate(each.failed),
          merged: rate(each.merged),
          held: rate(each.held),
          isRate: true,
        },
      ]),
    ),
    edges: new Map(
      edges.map(({ output, node, events, bytes }) => [
        `${output} ${node}`,
        { events: rate(events), bytes: rate(bytes), isRate: true },
      ]),
    ),
  }
}

/** Sums over all intervals of a period. */
export function periodTotals({ nodes, edges }: PipelineMetrics): RunningCounts {
  return {
    isRate: false,
    nodes: new Map(
      nodes.map(each => [
        each.node,
        {
          eventsIn: sum(each.events_in),
          eventsOut: sum(each.events_out),
          dropped: sum(each.dropped),
          failed: sum(each.failed),
          merged: sum(each.merged),
          held: sum(each.held),
          isRate: false,
        },
      ]),
    ),
    edges: new Map(
      edges.map(({ output, node, events, bytes }) => [
        `${output} ${node}`,
        { events: sum(events), bytes: sum(bytes), isRate: false },
      ]),
    ),
  }
}

/**
 * Figures of all nodes and connections of the running document. Parts that the server leaves out had no events; without counts
 * nothing is known.
 */
export function namedFigures(
  document: PipelineFile,
  { nodes }: PipelineGraph,
  counts: RunningCounts | undefined,
): NamedFigures {
  const isRate = counts?.isRate ?? false
  const none = counts && 0
  const rest = { dropped: 0, failed: 0, merged: 0, held: 0, isRate }
  const idByName = new Map(nodes.map(({ id, name }) => [name, id]))
  const outputs = new Map(nodes.flatMap(each => each.outputs.map(({ id, name }) => [name, id] as const)))
  return {
    nodes: new Map(
      nodes.map(({ id, name }) => [
        name,
        counts?.nodes.get(id) ?? { eventsIn: none, eventsOut: none, ...rest },
      ]),
    ),
    edges: new Map(
      connectionsOf(document).map(connection => {
        const id = `${outputs.get(connection.reference)} ${idByName.get(connection.to)}`
        return [edgeId(connection), counts?.edges.get(id) ?? { events: none, bytes: none, isRate }]
      }),
    ),
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0)
}
