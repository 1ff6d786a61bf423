import type { DraftNode } from '../../../engine/configuration/entities.ts'
import { type NodeOutput, nodeOutputs } from '../../../engine/nodes/node-outputs.ts'

/** What an output of a pipeline is called in its file: the node's name, or `name.label` where there are several. */
export interface OutputReference {
  readonly reference: string
  /** As other nodes name it in their inputs. */
  readonly id: string
  readonly node: DraftNode
  /** What a graph calls it; undefined for the only output. */
  readonly output: string | undefined
}

/** Outputs whose name is the same in every pipeline begin so. */
const FIXED = /^_/

export class OutputReferences {
  readonly #all: readonly OutputReference[]
  readonly #byReference = new Map<string, OutputReference>()
  readonly #byId: ReadonlyMap<string, OutputReference>
  readonly #byNodeName: ReadonlyMap<string, OutputReference[]>

  constructor(nodes: readonly DraftNode[]) {
    this.#all = nodes.flatMap(referencesTo)
    this.#byId = new Map(this.#all.map(each => [each.id, each]))
    this.#byNodeName = Map.groupBy(this.#all, each => fileNameOf(each.node))
    for (const each of this.#all) {
      // Also by the name that the server gave an output; what people call another one so comes first.
      const given = each.output === undefined ? each.reference : `${fileNameOf(each.node)}.${each.output}`
      if (!this.#byReference.has(given)) this.#byReference.set(given, each)
    }
    for (const each of this.#all) this.#byReference.set(each.reference, each)
  }

  of(node: DraftNode): readonly OutputReference[] {
    return this.#byNodeName.get(fileNameOf(node)) ?? []
  }

  named(reference: string): OutputReference | undefined {
    return this.#byReference.get(reference)
  }

  /** Why something is not what an output is called; undefined when it is. */
  problemOf(reference: string): string | undefined {
    if (this.#byReference.has(reference)) return undefined
    const meant = this.#byNodeName.get(nodeNameIn(reference))
    if (meant === undefined) return 'must be the name of a source or a processor of the file'
    return `must be one of ${meant.map(each => each.reference).join(', ')}`
  }

  /** What an output is called, by its id. */
  nameOf(id: string): string {
    return this.#byId.get(id)?.reference ?? id
  }
}

/** A node that nobody has named is called by its id. */
export function fileNameOf({ id, name = id }: DraftNode): string {
  return name
}

/** The name of the node in a reference to one of its outputs. */
export function nodeNameIn(reference: string): string {
  return reference.split('.', 1)[0] as string
}

function referencesTo(node: DraftNode): OutputReference[] {
  const name = fileNameOf(node)
  const outputs = nodeOutputs(node)
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

/** Labels may be alike: the second `hot` is `hot (2)`. */
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
