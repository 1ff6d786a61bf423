import type { Position } from '../../schemas/log/position.ts'
import type { PipelineDocument } from '../../schemas/pipeline.ts'
import type { Event } from '../event/event.ts'
import type { GraphObserver } from '../graph/graph-observer.ts'
import type { LineBatchView } from '../lines/columns/line-batch-view.ts'
import type { NodeName } from './node-activity.ts'
import type { Exclusion } from './rules/account-rules.ts'
import type { WaitingPlace } from './spread/rekeyed-part.ts'

/** State of a pipeline in a partition since a cut. */
export interface PipelineInEffect {
  /** Version of the cut. */
  readonly version: number
  /** Undefined: the pipeline is no longer deployed. */
  readonly document: PipelineDocument | undefined
  readonly isPaused: boolean
  /** Time at which the cut took effect, UNIX ms of log time. */
  readonly atMs: number
}

/** A revision of a pipeline that is deployed, or that still handles its remaining events. */
export interface RunningRevision {
  /** Version of the cut that deployed it. */
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
  /** Position of each event in the source's log. */
  readonly positions: readonly Position[]
}

/**
 * Observes the work of a partition while it happens. An observer does not influence it, and its calls must be short,
 * because the partition waits for them.
 */
export interface RunWatch {
  /** Called once for each run of events through a pipeline. */
  observerOf(account: string, pipeline: string): GraphObserver | undefined
  /** Called when a cut takes effect, and once per pipeline in effect when observation of a partition begins. */
  takesEffect(account: string, pipeline: string, inEffect: PipelineInEffect): void
  /** A rule drops a line of a record entirely, before it is handled. */
  dropped?(batch: LineBatchView, index: number, exclusion: Exclusion): void
  /** A paused pipeline drops the lines of a record that it reads. */
  droppedByPause?(account: string, pipeline: string): void
  /** Called for each record of lines with those that are neither repeats nor dropped. */
  handles?(batch: LineBatchView, indexes: readonly number[]): void
  /** Called before events from another partition continue; repeats are left out. */
  resumes?(arrived: ArrivedEvents): void
  /** Called after they have continued. @param revision that ran them; undefined: their node does not exist any more */
  resumed?(revision: RunningRevision | undefined): void
  /** Called when an event becomes a line of the own store. @param row of its record's lines */
  stored?(event: Event, name: NodeName, row: number): void
  /** Called when an event is handed over to the outbox. @param position in the log of this partition */
  handedOver?(event: Event, name: NodeName, position: Position): void
  /** Called when an event was left out on purpose before it became a line. */
  excluded?(event: Event, name: NodeName, exclusion: Exclusion): void
}
