import type { DraftNode } from '../../../engine/configuration/entities.ts'
import type { Problem } from '../../../engine/event/problem.ts'
import { checkInputs } from '../../../engine/graph/check-graph.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import type { Steps } from '../../../engine/steps.ts'
import { FILE_LISTS, type FileList } from '../../../schemas/http/pipeline/pipeline-file.ts'
import { isJsonObject, type JsonObject } from '../../../schemas/json.ts'
import { checkedNode } from '../checked-node.ts'
import { NODE_KINDS, type NodeKind } from '../links.ts'
import { isSameJson } from '../revisions/json-difference.ts'
import { named } from '../revisions/revision.ts'
import { nodeContent } from './node-content.ts'
import { fileNameOf, nodeNameIn, OutputReferences } from './output-references.ts'
import type { FilePlace, SentFile } from './sent-file.ts'

export interface ReadNodes {
  readonly nodes: readonly DraftNode[]
  readonly references: OutputReferences
  /** Pointer to each node in the file, by node id. */
  readonly pointers: ReadonlyMap<string, string>
  /** Names of nodes with findings. References to them are not checked, because their outputs may be unknown. */
  readonly broken: ReadonlySet<string>
  readonly problems: readonly Problem[]
}

interface ReadNode {
  readonly node: DraftNode
  /** Outputs of other nodes, by their names in the file. */
  readonly inputs: readonly string[]
  readonly pointer: string
  readonly problems: readonly Problem[]
}

/** Reads the nodes of a file in steps. A node whose name the pipeline already has is that same node and keeps its id. */
export function* readingNodes(sent: SentFile, place: FilePlace): Steps<ReadNodes> {
  const { read, problems } = yield* readingEach(sent, place)
  const references = yield* OutputReferences.reading(
    place.catalogue,
    read.map(({ node }) => node),
  )
  const isBroken = (each: ReadNode) => each.problems.length > 0 || sent.isFoundAt(each.pointer)
  const broken = new Set(read.filter(isBroken).map(({ node }) => fileNameOf(node)))
  const connected = read.map(({ node, inputs, ...others }) => ({
    ...others,
    inputs,
    node: { ...node, inputs: inputs.map(input => references.named(input)?.id ?? input) },
  }))
  yield
  for (const problem of connectionProblems(place.catalogue, connected, references, broken))
    problems.push(problem)
  const before = new Map(place.before.nodes.map(node => [node.id, node]))
  const nodes: DraftNode[] = []
  for (const { node } of connected) {
    yield
    nodes.push(unlessChanged(before.get(node.id), node))
  }
  return {
    nodes: inFormerPlaces(place.before.nodes, nodes),
    references,
    pointers: new Map(read.map(({ node, pointer }) => [node.id, pointer])),
    broken,
    problems,
  }
}

function* readingEach(sent: SentFile, place: FilePlace): Steps<{ read: ReadNode[]; problems: Problem[] }> {
  const { before, newNodeId } = place
  const byName = new Map(before.nodes.map(node => [fileNameOf(node), node]))
  const byId = new Map(before.nodes.map(node => [node.id, node]))
  const read = new Map<string, ReadNode>()
  const problems: Problem[] = []
  for (const [list, kind] of Object.entries(FILE_LISTS) as [FileList, NodeKind][]) {
    for (const [index, members] of sent.list(list).entries()) {
      if (!isJsonObject(members) || typeof members.name !== 'string') continue
      const pointer = `/${list}/${index}`
      const known = byName.get(members.name) ?? byId.get(members.name)
      const id = known?.id ?? newNodeId(members.name)
      const other = read.get(id)
      if (other !== undefined) {
        const message = `must NOT be that of ${other.pointer}, too`
        problems.push({ instancePath: `${pointer}/name`, message })
        continue
      }
      yield
      const node = readNode(members, { id, kind, pointer, name: members.name, known }, sent, place)
      for (const problem of node.problems) problems.push(problem)
      read.set(id, node)
    }
  }
  return { read: [...read.values()], problems }
}

function readNode(
  members: JsonObject,
  spot: Pick<DraftNode, 'id' | 'kind'> & { name: string; pointer: string; known: DraftNode | undefined },
  sent: SentFile,
  { catalogue, settings, gatewayRoutes }: FilePlace,
): ReadNode {
  const { id, kind, name, pointer, known } = spot
  const { type, title, description, config, inputs, gateway_route_id: sentRoute } = members
  const stored = known?.kind === kind ? known : undefined
  const isWellTyped = (member: string) => !sent.isFoundAt(`${pointer}/${FILE_MEMBERS[member] ?? member}`)
  const { node, problems } = checkedNode(
    {
      type: typeof type === 'string' ? type : '',
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(config !== undefined && { user_config: config }),
      ...(sentRoute !== undefined && { gateway_route_id: sentRoute }),
    },
    {
      id,
      kind,
      ...(name !== id && { name }),
      generation: stored === undefined ? 0 : stored.generation + 1,
      stored,
    },
    { catalogue, settings, gatewayRoutes, isWellTyped },
  )
  const found = isWellTyped('type') && type !== undefined ? problems : []
  if (known !== undefined && stored === undefined)
    found.push({ instancePath: '/name', message: `must NOT be that of the ${known.kind} "${known.type}"` })
  return {
    node,
    inputs: kind !== 'source' && isWellTyped('inputs') ? ((inputs ?? []) as string[]) : [],
    pointer,
    problems: found.map(({ instancePath, message }) => ({
      instancePath: `${pointer}${inFile(instancePath)}`,
      message,
    })),
  }
}

/** Members whose name in a file differs from the one in requests about nodes. */
const FILE_MEMBERS: Readonly<Record<string, string>> = { user_config: 'config' }

/**
 * Pointer of a finding about a node, in the terms of the file from which the node was read.
 *
 * @param inNode pointer into the node, in the terms of a request about nodes
 * @returns undefined if the node is not of the file
 */
export function pointerInFile(
  { pointers }: Pick<ReadNodes, 'pointers'>,
  nodeId: string,
  inNode: string,
): string | undefined {
  const pointer = pointers.get(nodeId)
  return pointer === undefined ? undefined : `${pointer}${inFile(inNode)}`
}

/** A pointer into a node, in the terms of a file. */
export function inFile(pointer: string): string {
  const [, member = ''] = pointer.split('/')
  const name = FILE_MEMBERS[member]
  return name === undefined ? pointer : `/${name}${pointer.slice(member.length + 1)}`
}

function connectionProblems(
  catalogue: Catalogue,
  read: readonly ReadNode[],
  references: OutputReferences,
  broken: ReadonlySet<string>,
): Problem[] {
  const byId = new Map(read.map(each => [each.node.id, each]))
  const nodes = read.map(({ node }) => node)
  return checkInputs(catalogue, { nodes }).flatMap(({ nodeId, instancePath, message }) => {
    const [, member, index] = instancePath.split('/')
    const each = byId.get(nodeId)
    if (each === undefined || member !== 'inputs') return []
    const input = each.inputs[Number(index)] as string
    if (broken.has(nodeNameIn(input))) return []
    return [
      { instancePath: `${each.pointer}${instancePath}`, message: references.problemOf(input) ?? message },
    ]
  })
}

/** Returns the earlier object of an unchanged node. A new name alone does not change a node. */
function unlessChanged(before: DraftNode | undefined, node: DraftNode): DraftNode {
  if (before === undefined || !isSameJson(asJson(before), asJson(node))) return node
  return before.name === node.name ? before : { ...before, ...named(node.name) }
}

/**
 * Orders nodes like the draft. A draft keeps its nodes in the order of creation, whatever their kind, and a file groups
 * them by kind. Nodes of each kind take the earlier places of that kind, in the order of the file.
 */
function inFormerPlaces(before: readonly DraftNode[], nodes: readonly DraftNode[]): DraftNode[] {
  const waiting = new Map(NODE_KINDS.map(kind => [kind, nodes.filter(node => node.kind === kind)]))
  const placed = before.flatMap(({ kind }) => waiting.get(kind)?.shift() ?? [])
  return [...placed, ...[...waiting.values()].flat()]
}

function asJson(node: DraftNode): JsonObject {
  const { inputs, ...content } = nodeContent(node)
  return { ...content, inputs: [...inputs] }
}
