import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { Catalogue, type NodeTypes } from '../../engine/nodes/contract/catalogue.ts'
import type { ProcessorDeclaration } from '../../engine/nodes/contract/define-processor.ts'
import { checkStoredOptions } from '../../engine/nodes/contract/node-declaration.ts'

/** The node types of this program, including those that are only declared, and further ones. */
export function nodeTypesWith({
  sources = [],
  processors = [],
  destinations = [],
}: Partial<Pick<NodeTypes, 'sources' | 'processors' | 'destinations'>>): NodeTypes {
  const { declarations, ownStore } = CATALOGUE
  return {
    sources: [...CATALOGUE.sources, ...sources],
    processors: [...(declarations.transform as readonly ProcessorDeclaration[]), ...processors],
    destinations: [...declarations.sink, ...destinations],
    ownStore,
    check: checkStoredOptions,
  }
}

export function catalogueWith(further: Parameters<typeof nodeTypesWith>[0]): Catalogue {
  return new Catalogue(nodeTypesWith(further))
}
