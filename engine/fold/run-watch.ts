import type { Position } from '../../schemas/log/position.ts'
import type { PipelineDocument } from '../../schemas/pipeline.ts'
import type { Event } from '../event/event.ts'
import type { GraphObserver } from '../graph/graph-observer.ts'
import type { LineBatchView } from '../lines/line-batch-view.ts'
import type { Exclusion } from './account-rules.ts'
import type { NodeName } from './node-activity.ts'
import type { WaitingPlace } from './spread/rekeyed-part.ts'

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

/** A revision of a pipeline that runs, or still runs for the events of it that are under way. */
export interface RunningRevision {
  /** Of its cut. */
  readonly version: number
  readonly document: PipelineDocument
}

/** A partition of a topic, by name. */
export interface PartitionName {
  readonly topic: string
  readonly partition: number
}

/** Events that wait at a node, from another partition. */
export interface ArrivedEvents {
  readonly source: PartitionName
  readonly place: WaitingPlace
  readonly events: readonly Event[]
  /** Of each, in the source's log. */
  readonly positions: readonly Position[]
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
  /** A rule drops a line of a record entirely, before it is handled. */
  dropped?(batch: LineBatchView, index: number, exclusion: Exclusion): void
  /** Told of each record of lines which of them are no repeats, and not dropped. */
  handles?(batch: LineBatchView, indexes: readonly number[]): void
  /** Told before events from another partition are run on; repeats are left out. */
  resumes?(arrived: ArrivedEvents): void
  /** Told after that. @param revision that ran them; undefined: their node is no more */
  resumed?(revision: RunningRevision | undefined): void
  /** An event becomes a line of the own store. @param row of its record's lines */
  stored?(event: Event, name: NodeName, row: number): void
  /** It was left out on purpose before it became one. */
  excluded?(event: Event, name: NodeName, exclusion: Exclusion): void
}
