import type { Event } from '../event/event.ts'
import type { NodeError } from '../graph/compile-graph.ts'
import type { Elsewhere } from '../graph/compiled-node.ts'
import type { RunPlace } from '../graph/run-place.ts'
import type { FoldMoment } from './fold-moment.ts'
import type { LineOutput } from './line-output.ts'
import type { NodeName } from './node-activity.ts'
import type { HandingNode } from './spread/outgoing-mail.ts'

/** Destinations of the events of an account within the fold of its partition. */
export interface AccountOutput {
  readonly moment: FoldMoment
  readonly lines: LineOutput
  report(name: NodeName, error: NodeError): void
  /** Sends a revision's events to memory of keys in other partitions; undefined when all of it is here. */
  elsewhere(account: string, pipeline: string, version: number): Elsewhere | undefined
  /** Receives failed events of a revision; undefined if the pipeline does not keep them. */
  deadLetterTaker(
    account: string,
    pipeline: string,
    version: number,
  ): ((error: NodeError) => void) | undefined
  /** Hands events over to the lane of their node, in order. */
  handOver(account: string, from: HandingNode, events: readonly Event[]): void
  /** Place of the present record for a revision. */
  placeOf(pipeline: string, version: number): RunPlace
}
