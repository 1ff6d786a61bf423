import type { JsonObject } from '../../../schemas/json.ts'
import { type ApiClient, ApiRefusal } from '../api-client.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { data } from './pipeline-access.ts'

export const KINDS = ['source', 'transform', 'sink'] as const

export interface Node extends JsonObject {
  id: string
  type: string
  user_config: JsonObject
}

export interface ListedNode {
  readonly kind: (typeof KINDS)[number]
  readonly node: Node
}

/** The nodes of the draft of a pipeline. */
export async function listedNodes(api: ApiClient, pipeline: string): Promise<ListedNode[]> {
  const nodes: ListedNode[] = []
  for (const kind of KINDS) for (const node of await nodesOf(api, pipeline, kind)) nodes.push({ kind, node })
  return nodes
}

/** Lists of nodes are an addition of this service: other servers of this contract only return single nodes. */
async function nodesOf(api: ApiClient, pipeline: string, kind: ListedNode['kind']): Promise<Node[]> {
  try {
    return (await data(api, `/v3/pipeline/${encodeURIComponent(pipeline)}/${kind}`)) as Node[]
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 405) throw error
    throw new CommandError(EXIT.usage, 'This server does not list the nodes of a pipeline.', { cause: error })
  }
}

export function inputsOf(node: Node): string[] {
  return Array.isArray(node.inputs) ? node.inputs.map(String) : []
}

/** Maps ids of nodes and outputs to names for people: the title, else the type, made unique. */
export function outputNames(nodes: readonly ListedNode[]): Map<string, string> {
  const names = new Map<string, string>()
  const uses = new Map<string, number>()
  for (const { node } of nodes) {
    const base = typeof node.title === 'string' ? node.title : node.type
    const use = (uses.get(base) ?? 0) + 1
    uses.set(base, use)
    const name = use === 1 ? base : `${base} (${use})`
    names.set(node.id, name)
    for (const output of Array.isArray(node.outputs) ? (node.outputs as JsonObject[]) : []) {
      if (output.id !== node.id) names.set(String(output.id), `${name} → ${String(output.label)}`)
    }
  }
  return names
}

/** Every node after the nodes that it reads from; nodes of a cycle come last. */
export function inFlowOrder(nodes: readonly ListedNode[]): ListedNode[] {
  const waiting = [...nodes]
  const placed = new Set<string>()
  const known = new Set(nodes.map(({ node }) => node.id))
  const ordered: ListedNode[] = []
  while (waiting.length > 0) {
    const ready = waiting.findIndex(({ node }) =>
      inputsOf(node)
        .map(input => input.split('.')[0] as string)
        .every(input => placed.has(input) || !known.has(input)),
    )
    const [next] = waiting.splice(Math.max(ready, 0), 1) as [ListedNode]
    placed.add(next.node.id)
    ordered.push(next)
  }
  return ordered
}
