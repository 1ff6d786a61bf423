import type { Page } from '../../schemas/http/envelope.ts'
import type { PauseEffect } from '../../schemas/http/pipeline/pipeline-api.ts'

/** The `meta` of a `/v3` answer (pipeline API, section 1.2; configuration and account API, section 17.1). */
export interface Meta {
  readonly pk: string
  readonly type?: string
  readonly links: object
  /** Page of a list; absent for single records of accounts, null for lists without pages. */
  readonly page?: Page | null
  /** Whether a write changed anything, if this is not obvious. */
  readonly changed?: boolean
  /** Effects of a pause on lines; absent for other answers. */
  readonly effects?: readonly PauseEffect[]
}

export interface Envelope<Data> {
  readonly meta: Meta
  readonly data: Data
}

export const NO_FURTHER_PAGES = { next: null, previous: null }

export function envelope<Data>(meta: Meta, data: Data): Envelope<Data> {
  return { meta, data }
}
