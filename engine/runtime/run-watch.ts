import type { LineBatchView } from '../../schemas/line-batch.ts'
import type { PipelineDocument } from '../../schemas/pipeline.ts'
import type { Event } from '../event.ts'
import type { GraphObserver } from '../graph/graph-observer.ts'
import type { NodeError } from '../graph/node-error.ts'
import type { Exclusion } from './account-rules.ts'
import type { NodeName } from './node-activity.ts'

/** What a partition has in effect of a pipeline since a cut. */
export interface PipelineInEffect {
  /** Of the cut. */
  readonly version: number
  /** Undefined: nothing runs of it any more. */
  readonly document: PipelineDocument | undefined
  readonly isPaused: boolean
  /** When the cut took effect, UNIX ms of log time. */
  readonly atMs: number
}

/**
 * Watches what a partition does while it does it. It decides nothing, and what it does costs no more than a moment:
 * the partition waits for it.
 */
export interface RunWatch {
  /** Asked once for each run of events through a pipeline. */
  observerOf(account: string, pipeline: string): GraphObserver | undefined
  /** Told when a cut takes effect, and once of all that is in effect when a partition begins to be watched. */
  takesEffect(account: string, pipeline: string, inEffect: PipelineInEffect): void
  /** Told of each record of lines which of them are no repeats. */
  handles?(batch: LineBatchView, indexes: readonly number[]): void
  /** An event becomes a line of the own store. @param row of its record's lines */
  stored?(event: Event, name: NodeName, row: number): void
  /** It was left out on purpose before it became one. */
  excluded?(event: Event, name: NodeName, exclusion: Exclusion): void
  /** It could not become one. */
  notStored?(error: NodeError, name: NodeName): void
}
