import { byWireId } from '../graph/node-declaration.ts'
import type { Processor, ProcessorDeclaration } from './define-processor.ts'
import { dropFields } from './drop-fields.ts'
import { filter } from './filter.ts'
import { route } from './route.ts'
import { throttle } from './throttle.ts'

/** Every processor that this program runs: adding one is a file and a line here. */
export const PROCESSORS: readonly Processor[] = [dropFields, filter, route, throttle]

/** Those of the contract that it does not run yet. */
const NOT_BUILT: readonly ProcessorDeclaration[] = []

export const DECLARED_PROCESSORS: readonly ProcessorDeclaration[] = [...PROCESSORS, ...NOT_BUILT]

const BY_TYPE = byWireId(PROCESSORS)
const DECLARED_BY_TYPE = byWireId(DECLARED_PROCESSORS)

/** @param type wire id or alias */
export function processorOf(type: string): Processor | undefined {
  return BY_TYPE.get(type)
}

/** The same, also of those that this program does not run. */
export function declaredProcessorOf(type: string): ProcessorDeclaration | undefined {
  return DECLARED_BY_TYPE.get(type)
}
