import type { JsonObject } from '../../schemas/json.ts'
import type { Position } from '../../schemas/log/position.ts'
import type { Event } from '../event/event.ts'
import type { EndingWindow } from '../nodes/contract/define-processor.ts'
import type { NodeError } from './node-error.ts'

/** Where an event was sent. */
export interface SentTo {
  /** Name of the topic. */
  readonly topic: string
  readonly partition: number
  /** In the log of the partition that sent it. */
  readonly position: Position
}

/**
 * Watches what becomes of every event of a run, for those who ask. It changes nothing of what the graph does. `row` is
 * the number of the event that entered and that the event comes from; -1 where it comes from a window that time has ended.
 */
export interface GraphObserver {
  /** An event leaves a node; a sink's events leave the graph. @param output name of the output, '' for the default one */
  left(node: string, output: string, event: Event, row: number): void
  /** A node left an event out. @param reason asks its processor why, if it says anything; during the call alone */
  dropped(node: string, event: Event, row: number, reason: () => JsonObject | undefined): void
  /** An event is part of a window now, and goes on in what that gives. @param merged it was not the first of the window */
  gathered(node: string, event: Event, row: number, merged: boolean): void
  /**
   * A window gave an event.
   *
   * @param window what is known of it; undefined: an event ended it, before its time
   * @param row of the event that ended it and was the last in it; -1 where there is none
   */
  gave?(node: string, event: Event, window: EndingWindow | undefined, row: number): void
  /** An event could not be processed and does not go on; the error with its code is reported beside this. */
  failed(node: string, event: Event, row: number): void
  /** An event went to the partition where the memory of its key is, and goes on there. */
  moved(node: string, event: Event, row: number, to: SentTo): void
  /** Trouble that a node had with an event, which may go on all the same. */
  reported(error: NodeError, row: number): void
}
