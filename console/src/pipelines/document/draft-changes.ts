import { FILE_LISTS, type FileList, type FileNode, type PipelineFile } from './file.ts'
import { isSame } from './merge.ts'
import { connectionsOf, edgeId, nodesOf } from './nodes.ts'
import { outputsOf } from './outputs.ts'

export type NodeChange = 'added' | 'changed' | 'removed'
export type EdgeChange = Exclude<NodeChange, 'changed'>

/** Differences between a draft and the version that runs. */
export interface DraftChanges {
  /** Changes by the names of nodes, in the order of the drawn document. */
  readonly nodes: ReadonlyMap<string, NodeChange>
  /** Changes of connections by `edgeId`. */
  readonly edges: ReadonlyMap<string, EdgeChange>
  /** The draft together with the nodes and connections that it no longer has, to be drawn as one picture. */
  readonly drawn: PipelineFile
}

/** Compares nodes by their names, and connections by their ends. The order of inputs has no meaning. */
export function draftChanges(running: PipelineFile, draft: PipelineFile): DraftChanges {
  const [before, after] = [running, draft].map(
    each => new Map(nodesOf(each).map(({ node }) => [node.name, node])),
  ) as [Map<string, FileNode>, Map<string, FileNode>]
  const drawn = withRemoved(running, draft, after)
  const nodes = new Map<string, NodeChange>()
  for (const { node } of nodesOf(drawn)) {
    const change = changeOf(before.get(node.name), after.get(node.name))
    if (change !== undefined) nodes.set(node.name, change)
  }
  const [edgesBefore, edgesAfter] = [running, draft].map(
    each => new Set(connectionsOf(each).map(edgeId)),
  ) as [Set<string>, Set<string>]
  const edges = new Map<string, EdgeChange>()
  for (const id of connectionsOf(drawn).map(edgeId)) {
    if (!edgesBefore.has(id)) edges.set(id, 'added')
    else if (!edgesAfter.has(id)) edges.set(id, 'removed')
  }
  return { nodes, edges, drawn }
}

function changeOf(before: FileNode | undefined, after: FileNode | undefined): NodeChange | undefined {
  if (before === undefined) return 'added'
  if (after === undefined) return 'removed'
  return isSame(compared(before), compared(after)) ? undefined : 'changed'
}

function compared(node: FileNode): FileNode {
  return node.inputs === undefined ? node : { ...node, inputs: node.inputs.toSorted() }
}

function withRemoved(
  running: PipelineFile,
  draft: PipelineFile,
  inDraft: ReadonlyMap<string, FileNode>,
): PipelineFile {
  const drawn: PipelineFile = { ...draft }
  for (const list of Object.keys(FILE_LISTS) as FileList[]) {
    const removed = (running[list] ?? []).filter(({ name }) => !inDraft.has(name))
    if (removed.length > 0) drawn[list] = [...(draft[list] ?? []), ...removed]
  }
  // A connection cannot be drawn from an output that the draft no longer has.
  const outputs = new Set(
    nodesOf(drawn).flatMap(({ kind, node }) =>
      kind === 'sink' ? [] : outputsOf(node).map(each => each.reference),
    ),
  )
  const inputsBefore = new Map(nodesOf(running).map(({ node }) => [node.name, node.inputs ?? []]))
  const connected = (node: FileNode): FileNode => {
    const own = inDraft.get(node.name)?.inputs ?? []
    const gone = (inputsBefore.get(node.name) ?? []).filter(each => !own.includes(each) && outputs.has(each))
    return gone.length === 0 ? node : { ...node, inputs: [...own, ...gone] }
  }
  for (const list of Object.keys(FILE_LISTS) as FileList[])
    if (drawn[list] !== undefined) drawn[list] = drawn[list].map(connected)
  return drawn
}
