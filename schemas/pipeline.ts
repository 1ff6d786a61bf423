import type { JsonObject } from './json.ts'

/** One published revision of a pipeline: immutable, and the engine's only input about the pipeline. */
export interface PipelineDocument {
  readonly id: string
  readonly accountId: string
  readonly title: string
  /** 1, 2, 3, …; a restored revision is a new, higher number. */
  readonly revision: number
  readonly nodes: readonly NodeDocument[]
  /** Absent when the revision has no alerts, and in documents from before alerts existed. */
  readonly alerts?: readonly AlertDocument[]
}

export interface NodeDocument {
  readonly id: string
  readonly kind: 'source' | 'transform' | 'sink'
  /** Wire id as it was sent; aliases are resolved by the catalogue. */
  readonly type: string
  readonly title: string | null
  readonly user_config: JsonObject
  /** Ids of nodes, or `<node id>.<output name>`. Empty for sources. */
  readonly inputs: readonly string[]
  /** Push sources only. */
  readonly gateway_route_id?: string
}

/** Watches the events that leave a source or a processor without changing them. */
export interface AlertDocument {
  readonly id: string
  readonly component_kind: 'source' | 'transform'
  readonly component_id: string
  /** Output ids of that node, at least one. */
  readonly inputs: readonly string[]
  readonly active: boolean
  readonly alert_config: JsonObject
}

/**
 * Ways in which a pipeline is paused, by what becomes of the events of its sources.
 *
 * - `store`: they belong to nobody: the default graph stores lines of log ingestion, and a gateway route refuses events
 * - `hold`: senders are refused, and keep them
 * - `drop`: they are taken and dropped
 */
export const PAUSE_MODES = ['store', 'hold', 'drop'] as const
export type PauseMode = (typeof PAUSE_MODES)[number]
