import type { TObject } from 'typebox'

/** A kind of source: where events of a pipeline come from. */
export interface Source {
  /** Wire id, unique among sources. */
  readonly type: string
  readonly aliases?: readonly string[]
  readonly summary: string
  readonly config: TObject
  /** `ingest`: all that the account sends to log ingestion. `gateway`: what is sent to the source's gateway route. */
  readonly entrance: 'ingest' | 'gateway'
}

export function defineSource(source: Source): Source {
  return source
}
