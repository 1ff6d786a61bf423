import { type CountsOfNode, NODE_COUNTS, type NodeCount } from '../../../engine/store/node-metrics.ts'
import type {
  MetricsOfPipelines,
  PipelineMetrics,
} from '../../../schemas/http/pipeline/pipeline-metrics-api.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import type { ReadOutput } from './edges.ts'

type Series = Record<NodeCount, number[]>
type NodeSeries = PipelineMetrics['nodes'][number]
type EdgeSeries = PipelineMetrics['edges'][number]

/** Series of the nodes, each with the counts of its outputs. @param buckets number of intervals */
export function seriesOfNodes(found: readonly CountsOfNode[], buckets: number): NodeSeries[] {
  const series = new Map<string, Series>()
  for (const { node, bucket, counts } of found) {
    const own = series.get(node) ?? emptySeries(buckets)
    series.set(node, own)
    for (const name of NODE_COUNTS) own[name][bucket] = (own[name][bucket] as number) + counts[name]
  }
  return [...series].map(([node, own]) => ({ node, ...own }))
}

/**
 * Series of the edges with events. Each edge of an output has all of its events, so the counts of an output, which are once for
 * each edge, are divided.
 */
export function seriesOfEdges(
  outputs: readonly ReadOutput[],
  found: readonly CountsOfNode[],
  buckets: number,
): EdgeSeries[] {
  const byOutput = Map.groupBy(found, ({ node, output }) => outputKey(node, output))
  return outputs.flatMap(({ node, name, id: output, readers }) => {
    const events = Array<number>(buckets).fill(0)
    const bytes = Array<number>(buckets).fill(0)
    for (const { bucket, counts } of byOutput.get(outputKey(node, name)) ?? []) {
      events[bucket] = (events[bucket] as number) + counts.events_out
      bytes[bucket] = (bytes[bucket] as number) + counts.bytes_out
    }
    if (events.every(count => count === 0)) return []
    const divided = (counts: readonly number[]) => counts.map(count => Math.round(count / readers.length))
    return readers.map(id => ({ output, node: id, events: divided(events), bytes: divided(bytes) }))
  })
}

function outputKey(node: string, output: string): string {
  return `${node} ${output}`
}

/** Totals of a pipeline. @param kinds kinds of the nodes of its revisions, by id */
export function totalsOfPipeline(
  pipeline: string,
  kinds: ReadonlyMap<string, NodeDocument['kind']>,
  found: readonly CountsOfNode[],
  buckets: number,
): MetricsOfPipelines['pipelines'][number] {
  const totals = { events_in: 0, bytes_in: 0, events_out: 0, bytes_out: 0, dropped: 0, failed: 0 }
  const [into, out] = [Array<number>(buckets).fill(0), Array<number>(buckets).fill(0)]
  for (const { node, bucket, counts } of found) {
    const kind = kinds.get(node)
    totals.dropped += counts.dropped
    totals.failed += counts.failed
    if (kind === 'source') {
      totals.events_in += counts.events_in
      totals.bytes_in += counts.bytes_in
      into[bucket] = (into[bucket] as number) + counts.events_in
    }
    if (kind === 'sink') {
      totals.events_out += counts.events_out
      totals.bytes_out += counts.bytes_out
      out[bucket] = (out[bucket] as number) + counts.events_out
    }
  }
  return { pipeline_id: pipeline, ...totals, in: into, out }
}

function emptySeries(buckets: number): Series {
  return Object.fromEntries(NODE_COUNTS.map(name => [name, Array<number>(buckets).fill(0)])) as Series
}
