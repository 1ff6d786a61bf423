import { FILE_LISTS, type FileList, type FileNode, type JsonObject, type PipelineFile } from './file.ts'
import { type NodeKind, nodesOf, type PlacedNode, partsOf } from './nodes.ts'
import { outputsOf } from './outputs.ts'

/** Changes of a document. Each returns a new document, and leaves the given one as it is. */

const MAX_NAME_CHARACTERS = 64

/** A new node behind an output, with a name made from its type. */
export function withNode(
  document: PipelineFile,
  {
    kind,
    type,
    config = {},
    input,
  }: {
    readonly kind: NodeKind
    readonly type: string
    readonly config?: JsonObject
    readonly input?: string | undefined
  },
): { readonly document: PipelineFile; readonly name: string } {
  const list = (Object.keys(FILE_LISTS) as FileList[]).find(each => FILE_LISTS[each] === kind) ?? 'processors'
  const name = freeName(document, type)
  const node: FileNode = {
    name,
    type,
    ...(Object.keys(config).length > 0 && { config }),
    ...(kind !== 'source' && input !== undefined && { inputs: [input] }),
  }
  return { document: { ...document, [list]: [...(document[list] ?? []), node] }, name }
}

/** The nodes of some names as a document of their own, as the clipboard holds them. */
export function nodesAlone(document: PipelineFile, names: readonly string[]): Partial<PipelineFile> {
  const alone: Partial<PipelineFile> = {}
  for (const { list, node } of nodesOf(document))
    if (names.includes(node.name)) alone[list] = [...(alone[list] ?? []), node]
  return alone
}

/**
 * The document with all nodes of another one. Names that are taken get a number. Inputs stay where they refer to a node that
 * came along, or to one of the document.
 */
export function withPastedNodes(
  document: PipelineFile,
  pasted: PipelineFile,
): { readonly document: PipelineFile; readonly names: readonly string[] } {
  let result = document
  const names = new Map<string, string>()
  for (const { list, node } of nodesOf(pasted)) {
    const name = freeName(result, node.name)
    names.set(node.name, name)
    result = { ...result, [list]: [...(result[list] ?? []), { ...node, name }] }
  }
  const isThere = new Set(nodesOf(document).map(({ node }) => node.name))
  const added = new Set(names.values())
  const inputsOf = (inputs: readonly string[]) =>
    inputs.flatMap(reference => {
      const { name, output } = partsOf(reference)
      const present = names.get(name) ?? (isThere.has(name) ? name : undefined)
      if (present === undefined) return []
      return [output === undefined ? present : `${present}.${output}`]
    })
  const connected = withLists(result, nodes =>
    nodes.map(node => (added.has(node.name) ? withInputs(node, node.inputs && inputsOf(node.inputs)) : node)),
  )
  return { document: connected, names: [...added] }
}

/** A word that no node of the document has as its name. */
export function freeName(document: PipelineFile, wish: string): string {
  const taken = new Set(nodesOf(document).map(({ node }) => node.name))
  const word =
    wish
      .toLowerCase()
      .replaceAll(/[^a-z0-9_-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, MAX_NAME_CHARACTERS - 4) || 'node'
  let name = word
  for (let number = 2; taken.has(name); number++) name = `${word}-${number}`
  return name
}

/** The document without a node, and without the connections to and from it. */
export function withoutNode(document: PipelineFile, name: string): PipelineFile {
  const change = (nodes: readonly FileNode[]) =>
    nodes
      .filter(node => node.name !== name)
      .map(node =>
        withInputs(
          node,
          node.inputs?.filter(each => partsOf(each).name !== name),
        ),
      )
  const alerts = document.alerts?.filter(({ on }) => on !== name)
  return { ...withLists(document, change), ...(alerts !== undefined && { alerts }) }
}

/** The document with another node in the place of one. References to outputs follow changes of their labels. */
export function withChangedNode(document: PipelineFile, name: string, changed: FileNode): PipelineFile {
  const before = nodesOf(document).find(({ node }) => node.name === name)?.node
  if (before === undefined) return document
  const renamed = renamedOutputs(before, changed)
  return withLists(document, nodes =>
    nodes.map(node =>
      node.name === name
        ? changed
        : withInputs(
            node,
            node.inputs?.map(each => renamed.get(each) ?? each),
          ),
    ),
  )
}

/** Outputs keep their connections when the label of one entry, or the name of the node, changes. */
function renamedOutputs(before: FileNode, after: FileNode): ReadonlyMap<string, string> {
  const old = outputsOf(before)
  const now = outputsOf(after)
  if (old.length !== now.length) return new Map()
  return new Map(old.map(({ reference }, index) => [reference, now[index]?.reference ?? reference]))
}

export function withConnection(document: PipelineFile, reference: string, to: string): PipelineFile {
  return withLists(document, nodes =>
    nodes.map(node =>
      node.name !== to || node.inputs?.includes(reference)
        ? node
        : withInputs(node, [...(node.inputs ?? []), reference]),
    ),
  )
}

export function withoutConnection(document: PipelineFile, reference: string, to: string): PipelineFile {
  return withLists(document, nodes =>
    nodes.map(node =>
      node.name === to
        ? withInputs(
            node,
            node.inputs?.filter(each => each !== reference),
          )
        : node,
    ),
  )
}

/** Whether a connection would close a circle. */
export function closesCircle(document: PipelineFile, from: string, to: string): boolean {
  const below = new Set([to])
  const nodes = nodesOf(document)
  for (let size = 0; size !== below.size; ) {
    size = below.size
    for (const { node } of nodes)
      if (node.inputs?.some(each => below.has(partsOf(each).name))) below.add(node.name)
  }
  return below.has(from)
}

function withInputs(node: FileNode, inputs: string[] | undefined): FileNode {
  if (inputs === node.inputs) return node
  const { inputs: _, ...rest } = node
  return inputs === undefined || inputs.length === 0 ? rest : { ...rest, inputs }
}

function withLists(
  document: PipelineFile,
  change: (nodes: readonly FileNode[]) => readonly FileNode[],
): PipelineFile {
  const changed = { ...document }
  for (const list of Object.keys(FILE_LISTS) as FileList[]) {
    const nodes = document[list]
    if (nodes !== undefined) changed[list] = change(nodes) as FileNode[]
  }
  return changed
}

/** Place of a finding: the node that it is about, and a pointer into the node. */
export interface FindingPlace {
  readonly node: string | undefined
  /** JSON pointer such as `/config/window`; empty for the node, or the document, as a whole. */
  readonly pointer: string
}

/** Reads the place of a finding, such as `processors/0/config/window`. */
export function placeOf(document: PipelineFile, place: string): FindingPlace {
  const match = /^\/?(sources|processors|destinations)\/(\d+)(\/.*)?$/.exec(place)
  const [, list, index, pointer = ''] = match ?? []
  const found: PlacedNode | undefined = nodesOf(document).find(
    each => each.list === list && each.index === Number(index),
  )
  return found === undefined
    ? { node: undefined, pointer: place === '' ? '' : `/${place.replace(/^\//, '')}` }
    : { node: found.node.name, pointer }
}
