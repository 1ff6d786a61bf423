import type { NodeDocument, PipelineDocument } from '../../schemas/pipeline.ts'
import type { Problem } from '../event/problem.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import { finish, type Steps } from '../steps.ts'

/** Finding about one node; its pointer leads into that node. */
export interface GraphProblem extends Problem {
  readonly nodeId: string
}

export interface GraphRules {
  /** Whether nodes without inputs, or with outputs that lead nowhere, are allowed. */
  readonly allowUnconnected: boolean
}

/** Checks at once whether a pipeline can run. @see checkingGraph */
export function checkGraph(
  catalogue: Catalogue,
  document: Pick<PipelineDocument, 'nodes'>,
  rules: GraphRules,
): GraphProblem[] {
  return finish(checkingGraph(catalogue, document, rules))
}

/**
 * Checks in steps whether a pipeline can run: its connections (components 1.5, pipeline API 2.3 and 2.7) and the options of
 * its nodes, which `checkNode` accepted. Returns all findings.
 */
export function* checkingGraph(
  catalogue: Catalogue,
  { nodes }: Pick<PipelineDocument, 'nodes'>,
  rules: GraphRules,
): Steps<GraphProblem[]> {
  const owners = outputOwners(catalogue, nodes)
  const problems: GraphProblem[] = []
  for (const node of nodes) {
    if (!catalogue.isBuilt(node.kind, node.type))
      problems.push({ nodeId: node.id, instancePath: '/type', message: notBuilt(node) })
    problems.push(...(yield* runProblems(catalogue, node)), ...inputProblems(node, owners))
    yield
  }
  problems.push(...cycleProblems(nodes, owners), ...duplicateIds(nodes))
  if (!rules.allowUnconnected) problems.push(...unconnectedProblems(nodes, owners))
  return problems
}

/** Checks only the inputs of nodes, which takes little time: a draft may have nodes that cannot run. Returns all findings. */
export function checkInputs(
  catalogue: Catalogue,
  { nodes }: Pick<PipelineDocument, 'nodes'>,
): GraphProblem[] {
  const owners = outputOwners(catalogue, nodes)
  return [...nodes.flatMap(node => inputProblems(node, owners)), ...cycleProblems(nodes, owners)]
}

/** Maps each output id to its node. */
export function outputOwners(
  catalogue: Catalogue,
  nodes: readonly NodeDocument[],
): ReadonlyMap<string, NodeDocument> {
  return new Map(nodes.flatMap(node => catalogue.outputsOf(node).map(({ id }) => [id, node] as const)))
}

function* runProblems(
  catalogue: Catalogue,
  { id: nodeId, kind, type, user_config: config }: NodeDocument,
): Steps<GraphProblem[]> {
  const problems: GraphProblem[] = []
  if (kind !== 'transform') return problems
  for (const problem of catalogue.processorOf(type)?.runProblems?.(config) ?? []) {
    if (problem === undefined) yield
    else
      problems.push({
        nodeId,
        instancePath: `/user_config${problem.instancePath}`,
        message: problem.message,
      })
  }
  return problems
}

function inputProblems(
  { id: nodeId, kind, inputs }: NodeDocument,
  owners: ReadonlyMap<string, NodeDocument>,
): GraphProblem[] {
  const problems: GraphProblem[] = []
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

interface Visit {
  readonly node: NodeDocument
  /** Number in the order of the visits. */
  readonly place: number
  readonly writers: Iterator<NodeDocument, undefined>
  /** Lowest place of an open node that leads here. */
  lowest: number
}

/**
 * Gives the same number to nodes that lead to one another in both directions: Tarjan's algorithm, without recursion. Its
 * time grows with the number of inputs.
 */
function circlesOf(
  nodes: readonly NodeDocument[],
  owners: ReadonlyMap<string, NodeDocument>,
): ReadonlyMap<NodeDocument, number> {
  const within = new Set(nodes)
  const places = new Map<NodeDocument, number>()
  const circles = new Map<NodeDocument, number>()
  /** Visited nodes whose circle is not complete. */
  const open: NodeDocument[] = []
  const visit = (node: NodeDocument): Visit => {
    const place = places.size
    places.set(node, place)
    open.push(node)
    const writers = node.inputs.flatMap(input => owners.get(input) ?? []).filter(each => within.has(each))
    return { node, place, writers: writers.values() as Iterator<NodeDocument, undefined>, lowest: place }
  }
  for (const root of nodes) {
    const path = places.has(root) ? [] : [visit(root)]
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const writer = last.writers.next().value
      if (writer === undefined) {
        path.pop()
        const reader = path.at(-1)
        if (reader !== undefined) reader.lowest = Math.min(reader.lowest, last.lowest)
        if (last.lowest < last.place) continue
        for (const member of open.splice(open.lastIndexOf(last.node))) circles.set(member, last.place)
      } else if (!places.has(writer)) path.push(visit(writer))
      else if (!circles.has(writer)) last.lowest = Math.min(last.lowest, places.get(writer) as number)
    }
  }
  return circles
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
