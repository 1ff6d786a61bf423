import type { JsonObject } from '../../../schemas/json.ts'
import type { NodeDeclaration } from './node-declaration.ts'

/** A kind of destination: what the API checks and stores of it, and what the reference page says. */
export interface Destination extends NodeDeclaration {
  /** Whether this program delivers to it. */
  readonly delivers: boolean
}

export function defineDestination(destination: Destination): Destination {
  return destination
}

/** A sink as the runtime sees it. */
export interface SinkNode {
  readonly nodeId: string
  /** Canonical, whatever alias was sent. */
  readonly type: string
  readonly config: JsonObject
}
