import { FILE_LISTS, type FileList, type FileNode, type PipelineFile } from './file.ts'

export type NodeKind = (typeof FILE_LISTS)[FileList]

/** A node of a pipeline's document, with its place in it. */
export interface PlacedNode {
  readonly list: FileList
  readonly index: number
  readonly kind: NodeKind
  readonly node: FileNode
}

/** A connection from an output of a node to another node. */
export interface Connection {
  /** Name of the node that sends. */
  readonly from: string
  /** Name of the output after the dot; undefined for the only output of a node. */
  readonly output: string | undefined
  /** Name of the node that receives. */
  readonly to: string
  /** The reference as `inputs` holds it. */
  readonly reference: string
}

const LISTS = Object.keys(FILE_LISTS) as FileList[]

/** All nodes: sources, processors, destinations, each in the order of the document. */
export function nodesOf(document: PipelineFile): readonly PlacedNode[] {
  return LISTS.flatMap(list =>
    (document[list] ?? []).map((node, index) => ({ list, index, kind: FILE_LISTS[list], node })),
  )
}

export function nodeNamed(document: PipelineFile, name: string): PlacedNode | undefined {
  return nodesOf(document).find(({ node }) => node.name === name)
}

/** Id of a connection on the canvas. */
export function edgeId({ reference, to }: Connection): string {
  return `${reference} ${to}`
}

/** Connections between nodes of the document. References to nodes that are not there are left out. */
export function connectionsOf(document: PipelineFile): readonly Connection[] {
  const nodes = nodesOf(document)
  const names = new Set(nodes.map(({ node }) => node.name))
  return nodes.flatMap(({ node }) =>
    (node.inputs ?? []).flatMap(reference => {
      const { name, output } = partsOf(reference)
      return names.has(name) ? [{ from: name, output, to: node.name, reference }] : []
    }),
  )
}

/** The name of a node, and of one of its outputs, in a reference. Names of nodes contain no dot. */
export function partsOf(reference: string): { readonly name: string; readonly output: string | undefined } {
  const dot = reference.indexOf('.')
  if (dot === -1) return { name: reference, output: undefined }
  return { name: reference.slice(0, dot), output: reference.slice(dot + 1) }
}

/** Title for people: that of the node, else its name, else its type where the name is an id. */
export function titleOf({ name, title, type }: FileNode): string {
  if (title !== undefined) return title
  return /^[0-9a-f]{8}-/.test(name) ? type : name
}
