import { WireType } from './wire-format.ts'

/** The lanes of an outbox partition after a record; the shapes are described in avro/lanes-checkpoint.1.avsc. */
export interface LanesCheckpoint {
  readonly behaviour: number
  readonly logId: string
  readonly nextOffset: number
  readonly timeMs: number
  readonly epoch: number
  readonly accounts: readonly OutboxAccountState[]
}

export interface OutboxAccountState {
  readonly account: string
  readonly passed: readonly PassedPosition[]
  readonly deleted: readonly { readonly pipeline: string; readonly deletedMs: number }[]
  readonly lanes: readonly LaneState[]
}

/** Highest position of a source. */
export interface PassedPosition {
  readonly source: string
  readonly offset: number
  readonly row: number
}

export interface LaneState {
  readonly pipeline: string
  readonly node: string
  readonly birth: number
  readonly usedMs: number
  readonly handedOver: number
  readonly delivered: number
  readonly givenUp: number
  readonly dropped: number
  readonly answered: number
  readonly cursor: LaneCursorState | null
}

export interface LaneCursorState {
  readonly nextOffset: number
  readonly timeMs: number
  readonly closedBatches: number
  readonly passed: readonly PassedPosition[]
  readonly open: readonly LaneBatch[]
  readonly closed: readonly LaneBatch[]
}

/** Events of a lane that are sent together, by their places in the outbox partition. */
export interface LaneBatch {
  /** Number in closing order, from 1; 0: it is open. */
  readonly number: number
  /** Version of the cut of the revision that handled its events. */
  readonly version: number
  /** Type of the destination. */
  readonly type: string
  /** JSON of the options that the fold reads. */
  readonly options: string
  /** Text that its events have in common. */
  readonly split: string
  /** Log time of the record with its first event. */
  readonly openedMs: number
  /** Log time at which it was closed; 0: it is open. */
  readonly closedMs: number
  readonly events: number
  /** Size of its events in a body, before compression. */
  readonly bytes: number
  /** Its runs of rows, as the schema on the log names them. */
  readonly stretches: readonly BatchRun[]
}

/** Consecutive events of one record. A row counts all events of the record, from 0. */
export interface BatchRun {
  readonly offset: number
  readonly row: number
  readonly count: number
}

export const lanesCheckpointType = new WireType<LanesCheckpoint>('LanesCheckpoint')
