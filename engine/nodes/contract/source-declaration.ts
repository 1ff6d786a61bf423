import type { KeyPlace } from './key-place.ts'
import type { NodeDeclaration } from './node-declaration.ts'

/** Type of source as the API knows it, whether or not this program runs it. */
export interface SourceDeclaration extends NodeDeclaration {
  readonly entrance: Entrance
  /** Places of the access key; the first with a key counts. Only for `gateway`; absent: the common places. */
  readonly keys?: readonly KeyPlace[]
}

/**
 * Way by which events enter. `ingest`: the account sends them to log ingestion. `gateway`: senders push them to the gateway
 * route of the source (pipeline API, section 2.4). `pull`: the engine reads them elsewhere, or makes them.
 */
export type Entrance = 'ingest' | 'gateway' | 'pull'

export interface RunningSource extends SourceDeclaration {
  /** Behaviour number of the engine that introduced it; absent: the first. */
  readonly since?: number
}
