import type { JsonValue } from '../../../schemas/json.ts'
import type { PullSource } from './define-pull-source.ts'
import type { PushSource } from './define-push-source.ts'
import type { RunningSource, SourceDeclaration } from './source-declaration.ts'

/** Type of source that this program runs. */
export type Source = LineSource | PushSource | PullSource

/**
 * Source of all lines that the account sends to log ingestion. The LineCodec decodes them before any pipeline is known,
 * because most lines are stored without one. The source therefore has no `decode`, and no keys of its own.
 */
export interface LineSource extends RunningSource {
  readonly entrance: 'ingest'
  readonly examples: readonly LineExample[]
}

/** Worked example of a line source. */
export interface LineExample {
  readonly title: string
  /** Hostname of the request. */
  readonly hostname: string
  /** Body of the request. */
  readonly body: string
  /** Messages of the events. */
  readonly messages: readonly JsonValue[]
}

export function defineLineSource(source: LineSource): LineSource {
  return source
}

/** Declares a source that is accepted, stored and returned, and with which no pipeline can be published. */
export function declareSource(declaration: SourceDeclaration): SourceDeclaration {
  return declaration
}
