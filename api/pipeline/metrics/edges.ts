import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'

/** An output of a node, with the nodes that read it. */
export interface ReadOutput {
  readonly node: string
  /** Name among the outputs of its node; empty: the only one. */
  readonly name: string
  /** Id in the inputs of its readers. */
  readonly id: string
  readonly readers: readonly string[]
}

/** The outputs of a revision that nodes read. */
function readOutputs(
  catalogue: Pick<Catalogue, 'outputsOf'>,
  nodes: readonly NodeDocument[],
): readonly ReadOutput[] {
  const readers = new Map<string, string[]>()
  for (const { id, inputs } of nodes)
    for (const input of new Set(inputs)) {
      const known = readers.get(input)
      if (known === undefined) readers.set(input, [id])
      else known.push(id)
    }
  return nodes.flatMap(node =>
    catalogue
      .outputsOf(node)
      .filter(({ id }) => readers.has(id))
      .map(({ id, name = '' }) => ({ node: node.id, name, id, readers: readers.get(id) ?? [] })),
  )
}

/** Outputs of the revisions that were asked for last: a revision never changes, and live counts ask each second. */
export class OutputsOfRevisions {
  readonly #catalogue: Pick<Catalogue, 'outputsOf'>
  readonly #known = new WeakMap<readonly NodeDocument[], readonly ReadOutput[]>()

  constructor(catalogue: Pick<Catalogue, 'outputsOf'>) {
    this.#catalogue = catalogue
  }

  of(nodes: readonly NodeDocument[]): readonly ReadOutput[] {
    const outputs = this.#known.get(nodes) ?? readOutputs(this.#catalogue, nodes)
    this.#known.set(nodes, outputs)
    return outputs
  }
}
