import type { NodeDocument } from '../../schemas/pipeline.ts'
import type { NodeDeclaration } from './contract/node-declaration.ts'
import { DESTINATIONS, destinationOf } from './destinations.ts'
import { DECLARED_PROCESSORS, declaredProcessorOf, processorOf } from './processors.ts'
import { SOURCES, sourceOf } from './sources.ts'

export type NodeKind = NodeDocument['kind']

/** Every type of node of the contract (pipeline API, sections 4 to 6). */
export const DECLARATIONS: Readonly<Record<NodeKind, readonly NodeDeclaration[]>> = {
  source: SOURCES,
  transform: DECLARED_PROCESSORS,
  sink: DESTINATIONS,
}

/** @param type wire id or alias */
export function declarationOf(kind: NodeKind, type: string): NodeDeclaration | undefined {
  switch (kind) {
    case 'source':
      return sourceOf(type)
    case 'transform':
      return declaredProcessorOf(type)
    case 'sink':
      return destinationOf(type)
  }
}

/** Whether this program runs nodes of a type; others are accepted and stored, and cannot be published. */
export function isBuilt(kind: NodeKind, type: string): boolean {
  switch (kind) {
    case 'source':
      return (sourceOf(type)?.entrance ?? null) !== null
    case 'transform':
      return processorOf(type) !== undefined
    case 'sink':
      return destinationOf(type)?.delivers === true
  }
}

/** The one id behind an alias; undefined when the contract does not have the type. */
export function canonicalTypeOf(kind: NodeKind, type: string): string | undefined {
  return declarationOf(kind, type)?.type
}
