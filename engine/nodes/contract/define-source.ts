import type { NodeDeclaration } from './node-declaration.ts'

/** A kind of source: where events of a pipeline come from. */
export interface Source extends NodeDeclaration {
  /** Data comes over HTTP, to the gateway route that the source hangs on (pipeline API, section 2.4). */
  readonly isPush: boolean
  /**
   * `ingest`: all that the account sends to log ingestion. `gateway`: what is sent to the source's gateway route.
   * null: this program does not run the source yet.
   */
  readonly entrance: 'ingest' | 'gateway' | null
  /** Behaviour number of the engine that brought it; absent: the first. */
  readonly since?: number
}

export function defineSource(source: Source): Source {
  return source
}
