import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type PipelineGraph, readGraph } from '../api/pipelines.ts'
import { Problem } from '../api/problem.ts'
import { nodesOf, titleOf } from '../pipelines/document/nodes.ts'

const SHOWN_CHARACTERS = 8

/** Titles of nodes by their ids. A node that was removed meanwhile has none. */
export type NodeTitles = ReadonlyMap<string, string>

/** Titles of the nodes of some pipelines, as they run; where nothing runs, as the draft has them. */
export function useNodeTitles(pipelineIds: readonly string[]): NodeTitles {
  const graphs = useQueries({
    queries: pipelineIds.map(id => ({
      queryKey: ['node-titles', id],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => readTitles(id, signal),
    })),
    combine: results => results.map(({ data }) => data),
  })
  return useMemo(() => new Map(graphs.flatMap(titles => titles ?? [])), [graphs])
}

async function readTitles(id: string, signal: AbortSignal): Promise<readonly (readonly [string, string])[]> {
  const graph = await readGraph(id, 'deployed', signal).catch(error => {
    if (error instanceof Problem && error.status === 404) return readGraph(id, 'draft', signal)
    throw error
  })
  return titlesIn(graph)
}

/** Ids of the nodes of a graph with their titles. */
function titlesIn({ document, nodes }: PipelineGraph): readonly (readonly [string, string])[] {
  const titles = new Map(nodesOf(document).map(({ node }) => [node.name, titleOf(node)]))
  return nodes.map(({ id, name }) => [id, titles.get(name) ?? name] as const)
}

/** Title of a node, or the beginning of its id where it has none any more. */
export function nodeTitle(id: string, titles: NodeTitles): string {
  return titles.get(id) ?? `${id.slice(0, SHOWN_CHARACTERS)}\u2026`
}
