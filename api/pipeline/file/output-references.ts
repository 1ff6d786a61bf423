import type { DraftNode } from '../../../engine/configuration/entities.ts'
import { quotable } from '../../../engine/event/problem.ts'
import type { Catalogue, NodeOutput } from '../../../engine/nodes/contract/catalogue.ts'
import type { Steps } from '../../../engine/steps.ts'

/** Name of an output in a file: the name of its node, or `name.label` if the node has several outputs. */
export interface OutputReference {
  readonly reference: string
  /** Id by which inputs of other nodes refer to the output. */
  readonly id: string
  readonly node: DraftNode
  /** Name in the graph; undefined for the only output of a node. */
  readonly output: string | undefined
}

/** Start of the output names that are the same in every pipeline. */
const FIXED = /^_/

/** Maximum number of outputs that a message names. */
const MAX_NAMED_OUTPUTS = 20

export class OutputReferences {
  readonly #all: readonly OutputReference[]
  readonly #byReference = new Map<string, OutputReference>()
  readonly #byId: ReadonlyMap<string, OutputReference>
  readonly #byNodeName: ReadonlyMap<string, OutputReference[]>

  private constructor(all: readonly OutputReference[]) {
    this.#all = all
    this.#byId = new Map(this.#all.map(each => [each.id, each]))
    this.#byNodeName = Map.groupBy(this.#all, each => fileNameOf(each.node))
    for (const each of this.#all) {
      // An output is also found by the name that the server gave it, unless people gave that name to another output.
      const given = each.output === undefined ? each.reference : `${fileNameOf(each.node)}.${each.output}`
      if (!this.#byReference.has(given)) this.#byReference.set(given, each)
    }
    for (const each of this.#all) this.#byReference.set(each.reference, each)
  }

  /** Collects the outputs of nodes in steps. */
  static *reading(catalogue: Catalogue, nodes: readonly DraftNode[]): Steps<OutputReferences> {
    const all: OutputReference[] = []
    for (const node of nodes) {
      for (const each of referencesTo(catalogue, node)) all.push(each)
      yield
    }
    return new OutputReferences(all)
  }

  of(node: DraftNode): readonly OutputReference[] {
    return this.#byNodeName.get(fileNameOf(node)) ?? []
  }

  named(reference: string): OutputReference | undefined {
    return this.#byReference.get(reference)
  }

  /** Returns the reason why a reference does not name an output; undefined when it does. */
  problemOf(reference: string): string | undefined {
    if (this.#byReference.has(reference)) return undefined
    const meant = this.#byNodeName.get(nodeNameIn(reference))
    if (meant === undefined) return 'must be the name of a source or a processor of the file'
    const more = meant.length - MAX_NAMED_OUTPUTS
    const names = meant.slice(0, MAX_NAMED_OUTPUTS).map(each => quotable(each.reference))
    return `must be one of ${names.join(', ')}${more > 0 ? `, … (${more} more)` : ''}`
  }

  /** Returns the name of an output by its id. */
  nameOf(id: string): string {
    return this.#byId.get(id)?.reference ?? id
  }
}

/** Name of a node in files; a node without a name is called by its id. */
export function fileNameOf({ id, name = id }: DraftNode): string {
  return name
}

/** Returns the name of the node in a reference to one of its outputs. */
export function nodeNameIn(reference: string): string {
  return reference.split('.', 1)[0] as string
}

function referencesTo(catalogue: Catalogue, node: DraftNode): OutputReference[] {
  const name = fileNameOf(node)
  const outputs = catalogue.outputsOf(node)
  const words = new UniqueWords(outputs.flatMap(output => (isFixed(output) ? [output.name] : [])))
  return outputs.map(output => {
    if (output.name === undefined) return { reference: name, id: output.id, node, output: undefined }
    const word = isFixed(output) ? output.name : words.next(output.label)
    return { reference: `${name}.${word}`, id: output.id, node, output: output.name }
  })
}

function isFixed(output: NodeOutput): output is NodeOutput & { readonly name: string } {
  return output.name !== undefined && FIXED.test(output.name)
}

/** Labels may repeat: the second `hot` becomes `hot (2)`. */
class UniqueWords {
  readonly #taken: Set<string>
  readonly #counts = new Map<string, number>()

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken)
  }

  next(label: string): string {
    let count = this.#counts.get(label) ?? 1
    const word = () => (count === 1 ? label : `${label} (${count})`)
    while (this.#taken.has(word())) count++
    this.#counts.set(label, count)
    this.#taken.add(word())
    return word()
  }
}
