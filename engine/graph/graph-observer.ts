import type { JsonObject } from '../../schemas/json.ts'
import type { Position } from '../../schemas/log/position.ts'
import type { Event } from '../event/event.ts'
import type { EndingWindow } from '../nodes/contract/define-processor.ts'
import type { NodeError } from './node-error.ts'

/** Destination of an event that was sent to another partition. */
export interface SentTo {
  /** Name of the topic. */
  readonly topic: string
  readonly partition: number
  /** Position in the log of the partition that sent it. */
  readonly position: Position
}

/**
 * Observes every event of a run, on request of a person. It changes nothing in the graph. `row` is the index of the input
 * event that the event stems from; -1 for an event released by a window.
 */
export interface GraphObserver {
  /** An event leaves a node; a sink's events leave the graph. @param output name of the output, '' for the default one */
  left(node: string, output: string, event: Event, row: number): void
  /** A node left an event out. @param reason asks the processor for the reason; valid during the call only */
  dropped(node: string, event: Event, row: number, reason: () => JsonObject | undefined): void
  /**
   * An event became part of a window, and continues in the event of the window. @param merged it was not the first of the
   * window
   */
  gathered(node: string, event: Event, row: number, merged: boolean): void
  /**
   * A window released an event.
   *
   * @param window facts about it; undefined: an event ended it early
   * @param row index of the event that ended it and was the last in it; -1: time ended it
   */
  gave?(node: string, event: Event, window: EndingWindow | undefined, row: number): void
  /** An event could not be processed and ends here; another call reports the error. */
  failed(node: string, event: Event, row: number): void
  /** An event was sent to the partition that has the memory of its key, and continues there. */
  moved(node: string, event: Event, row: number, to: SentTo): void
  /** A node reported an error about an event, which may continue nevertheless. */
  reported(error: NodeError, row: number): void
}
