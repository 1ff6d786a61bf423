import type { NodeDocument, PipelineDocument } from '../../schemas/pipeline.ts'
import type { Problem } from '../event/problem.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'

/** Finding about one node; its pointer leads into that node. */
export interface GraphProblem extends Problem {
  readonly nodeId: string
}

export interface GraphRules {
  /** Whether nodes without inputs, or with outputs that lead nowhere, are allowed. */
  readonly allowUnconnected: boolean
}

/** Checks the connections between the nodes of a pipeline (components 1.5, pipeline API 2.3 and 2.7); returns all findings. */
export function checkGraph(
  catalogue: Catalogue,
  document: Pick<PipelineDocument, 'nodes'>,
  rules: GraphRules,
): GraphProblem[] {
  const { nodes } = document
  const owners = outputOwners(catalogue, nodes)
  return [
    ...nodes.flatMap(node => nodeProblems(catalogue, node, owners)),
    ...cycleProblems(nodes, owners),
    ...duplicateIds(nodes),
    ...(rules.allowUnconnected ? [] : unconnectedProblems(nodes, owners)),
  ]
}

/** Maps each output id to its node. */
export function outputOwners(
  catalogue: Catalogue,
  nodes: readonly NodeDocument[],
): ReadonlyMap<string, NodeDocument> {
  return new Map(nodes.flatMap(node => catalogue.outputsOf(node).map(({ id }) => [id, node] as const)))
}

function nodeProblems(
  catalogue: Catalogue,
  node: NodeDocument,
  owners: ReadonlyMap<string, NodeDocument>,
): GraphProblem[] {
  const { id: nodeId, kind, type, inputs } = node
  const problems: GraphProblem[] = []
  if (!catalogue.isBuilt(kind, type))
    problems.push({ nodeId, instancePath: '/type', message: notBuilt(node) })
  if (kind === 'transform')
    for (const { instancePath, message } of catalogue.processorOf(type)?.runProblems?.(node.user_config) ??
      [])
      problems.push({ nodeId, instancePath: `/user_config${instancePath}`, message })
  if (kind === 'source') {
    if (inputs.length > 0)
      problems.push({ nodeId, instancePath: '/inputs', message: 'must NOT have more than 0 items' })
    return problems
  }
  const seen = new Set<string>()
  for (const [index, input] of inputs.entries()) {
    const instancePath = `/inputs/${index}`
    if (!owners.has(input))
      problems.push({ nodeId, instancePath, message: 'must be an output of another node of this pipeline' })
    if (seen.has(input)) problems.push({ nodeId, instancePath, message: 'must NOT have duplicate items' })
    seen.add(input)
  }
  return problems
}

function notBuilt(node: NodeDocument): string {
  return `"${node.type}" is not available on this server yet: ${notPublished(node)}`
}

/** End of a sentence about a valid node that this version cannot run. */
export function notPublished({ id, kind, title }: NodeDocument): string {
  // A node may have any title while it is being checked.
  const name = typeof title === 'string' && title !== '' ? `${id} ("${title}")` : id
  return `the ${kind} ${name} is kept, and cannot be published`
}

function cycleProblems(
  nodes: readonly NodeDocument[],
  owners: ReadonlyMap<string, NodeDocument>,
): GraphProblem[] {
  const ordered = new Set(topologicalOrder(nodes, owners))
  const tangled = nodes.filter(node => !ordered.has(node))
  const circles = circlesOf(tangled, owners)
  return tangled.flatMap(node => {
    const index = node.inputs.findIndex(input => {
      const owner = owners.get(input)
      return owner !== undefined && circles.get(owner) === circles.get(node)
    })
    if (index < 0) return [] // behind a cycle, not in it
    return [
      { nodeId: node.id, instancePath: `/inputs/${index}`, message: 'must NOT lead back to the node itself' },
    ]
  })
}

/** Gives the same number to nodes that lead to one another in both directions. */
function circlesOf(
  nodes: readonly NodeDocument[],
  owners: ReadonlyMap<string, NodeDocument>,
): ReadonlyMap<NodeDocument, number> {
  const waiting = new Set(nodes)
  const writers = new Map(
    nodes.map(node => [node, new Set(node.inputs.flatMap(input => owners.get(input) ?? []))] as const),
  )
  const readers = new Map(nodes.map(node => [node, new Set<NodeDocument>()] as const))
  for (const [reader, ofReader] of writers) for (const writer of ofReader) readers.get(writer)?.add(reader)
  const circles = new Map<NodeDocument, number>()
  for (const [number, node] of nodes.entries()) {
    if (!waiting.has(node)) continue
    const after = reachedFrom(node, readers, waiting)
    for (const member of reachedFrom(node, writers, after)) {
      circles.set(member, number)
      waiting.delete(member)
    }
  }
  return circles
}

/** Returns a node and all nodes of a set that are reached from it. */
function reachedFrom(
  node: NodeDocument,
  next: ReadonlyMap<NodeDocument, ReadonlySet<NodeDocument>>,
  within: ReadonlySet<NodeDocument>,
): Set<NodeDocument> {
  const reached = new Set([node])
  for (const each of reached)
    for (const other of next.get(each) ?? []) if (within.has(other)) reached.add(other)
  return reached
}

/** Sorts nodes so that each follows those that it reads from, otherwise in the order of the document; leaves cycles out. */
export function topologicalOrder(
  nodes: readonly NodeDocument[],
  owners: ReadonlyMap<string, NodeDocument>,
): readonly NodeDocument[] {
  const waiting = new Map(nodes.map(node => [node, node.inputs.filter(input => owners.has(input)).length]))
  const readers = new Map<NodeDocument, NodeDocument[]>()
  for (const node of nodes) {
    for (const input of node.inputs) {
      const owner = owners.get(input)
      if (owner === undefined) continue
      const known = readers.get(owner)
      if (known === undefined) readers.set(owner, [node])
      else known.push(node)
    }
  }
  const ordered = new Set(nodes.filter(node => waiting.get(node) === 0))
  for (const node of ordered) {
    for (const reader of readers.get(node) ?? []) {
      const left = (waiting.get(reader) ?? 0) - 1
      waiting.set(reader, left)
      if (left === 0) ordered.add(reader)
    }
  }
  return [...ordered]
}

function duplicateIds(nodes: readonly NodeDocument[]): GraphProblem[] {
  const seen = new Set<string>()
  return nodes.flatMap(({ id: nodeId }) => {
    if (!seen.has(nodeId)) {
      seen.add(nodeId)
      return []
    }
    return [{ nodeId, instancePath: '/id', message: 'must NOT be the id of another node' }]
  })
}

function unconnectedProblems(
  nodes: readonly NodeDocument[],
  owners: ReadonlyMap<string, NodeDocument>,
): GraphProblem[] {
  const read = new Set(nodes.flatMap(({ inputs }) => inputs.map(input => owners.get(input))))
  return nodes.flatMap(node => {
    const problems: GraphProblem[] = []
    if (node.kind !== 'source' && node.inputs.length === 0)
      problems.push({ nodeId: node.id, instancePath: '/inputs', message: 'must NOT have fewer than 1 items' })
    if (node.kind !== 'sink' && !read.has(node))
      problems.push({
        nodeId: node.id,
        instancePath: '',
        message: 'must have an output that leads to another node',
      })
    return problems
  })
}
