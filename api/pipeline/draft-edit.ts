import type { Draft, DraftNode } from '../../engine/configuration/entities.ts'
import type { Problem } from '../../engine/event/problem.ts'
import { checkInputs } from '../../engine/graph/check-graph.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'

/** Edits of a draft, without side effects (pipeline API, section 2.3). */

export function withNode(nodes: readonly DraftNode[], node: DraftNode): DraftNode[] {
  return [...nodes, node]
}

/** Outputs that the node had and has no longer are taken off the inputs of others. */
export function withNodeReplaced(
  catalogue: Catalogue,
  nodes: readonly DraftNode[],
  node: DraftNode,
): DraftNode[] {
  const before = nodes.find(({ id }) => id === node.id)
  const gone = outputIds(catalogue, before).difference(outputIds(catalogue, node))
  return withoutInputs(
    nodes.map(each => (each.id === node.id ? node : each)),
    gone,
  )
}

export function withoutNode(catalogue: Catalogue, nodes: readonly DraftNode[], node: DraftNode): DraftNode[] {
  return withoutInputs(
    nodes.filter(({ id }) => id !== node.id),
    outputIds(catalogue, node),
  )
}

/** Returns the problems of a node's connections with others, with pointers into its request body. */
export function connectionProblems(
  catalogue: Catalogue,
  nodes: readonly DraftNode[],
  node: DraftNode,
): Problem[] {
  return checkInputs(catalogue, { nodes })
    .filter(({ nodeId, instancePath }) => nodeId === node.id && instancePath.startsWith('/inputs'))
    .map(({ instancePath, message }) => ({ instancePath, message }))
}

/** The draft with other nodes. Alerts go with their node, and with the last of the outputs that they watch. */
export function withNodes(catalogue: Catalogue, draft: Draft, nodes: readonly DraftNode[]): Draft {
  if (draft.alerts === undefined) return { ...draft, nodes }
  const outputs = new Map(nodes.map(node => [node.id, outputIds(catalogue, node)]))
  const alerts = draft.alerts
    .map(alert => ({
      ...alert,
      inputs: alert.inputs.filter(each => outputs.get(alert.component_id)?.has(each)),
    }))
    .filter(({ inputs }) => inputs.length > 0)
  return { ...draft, nodes, alerts }
}

function outputIds(catalogue: Catalogue, node: DraftNode | undefined): Set<string> {
  return new Set(node === undefined ? [] : catalogue.outputsOf(node).map(({ id }) => id))
}

function withoutInputs(nodes: readonly DraftNode[], gone: ReadonlySet<string>): DraftNode[] {
  if (gone.size === 0) return [...nodes]
  return nodes.map(node =>
    node.inputs.some(input => gone.has(input))
      ? { ...node, inputs: node.inputs.filter(input => !gone.has(input)) }
      : node,
  )
}
