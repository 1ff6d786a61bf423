import type { Position } from '../../../schemas/log/position.ts'
import type { Event } from '../../event/event.ts'
import type { BatchPlace } from '../../nodes/contract/define-destination.ts'
import type { LaneName } from '../fold/lane-cursor.ts'

/** An event of a batch, and its place in the partition that handed it over. Both are the same for each repeat. */
export interface SentEvent {
  readonly event: Event
  /** Key of the partition. */
  readonly source: string
  readonly position: Position
}

/** Events that are sent together: a batch, or a part of one. */
export interface Shipment {
  /** UUID. Repeats have the same id and the same events. */
  readonly id: string
  readonly lane: LaneName
  /** Version of the revision whose options apply. */
  readonly version: number
  /** Canonical type of the destination. */
  readonly type: string
  /** JSON of the options that the fold read. */
  readonly options: string
  /** Text that the events have in common: see `BatchRules.splitOf`. */
  readonly split: string
  /** Log time at which the batch was closed, UNIX ms. */
  readonly closedMs: number
  /** Absent: the events are not consecutive ones of a batch. */
  readonly place?: BatchPlace
  readonly events: readonly SentEvent[]
}

/** A reason that makes a repeat useless. */
export interface RemoteFailure {
  readonly code: string
  readonly field: string | null
  /** One sentence without secrets. */
  readonly message: string
  /** Beginning of the answer. */
  readonly answer: string | null
}

/** Outcome of one event. */
export type EventOutcome = 'delivered' | 'again' | RemoteFailure

/**
 * Answer to a shipment.
 *
 * - `again`: the same shipment may succeed later.
 * - `rest`: the remote does not accept the credentials. It is asked again at long intervals, and nothing is given up.
 * - `refused`: it never succeeds. With `divides`, a part of it may.
 * - `each`: the remote judged each event.
 */
export type RemoteAnswer = {
  /** Status of the answer; null: there was none. */
  readonly status: number | null
  /** Size of the sent body. */
  readonly bytes: number
} & (
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly failure: RemoteFailure; readonly retryAfterMs?: number }
  | { readonly kind: 'rest'; readonly failure: RemoteFailure }
  | { readonly kind: 'refused'; readonly failure: RemoteFailure; readonly divides: boolean }
  | { readonly kind: 'each'; readonly outcomes: readonly EventOutcome[] }
)

/** Node and revision of a shipment, from which its options follow. */
export type ShipmentOrigin = Pick<Shipment, 'lane' | 'version' | 'type' | 'options'>

/** The systems that destinations name. */
export interface Remote {
  /** Returns the time until the next request may begin, in ms. Absent: it may begin at once. */
  untilDueMs?(origin: ShipmentOrigin): number
  /**
   * Tries whether the server of a lane that accepted no connection the last time does so now. No events are needed for that.
   *
   * @param signal ends the attempt, with the reason of the signal
   * @returns the answer of kind `again` if it does not; undefined: a shipment can be sent
   */
  lostAnswer?(origin: ShipmentOrigin, signal: AbortSignal): Promise<RemoteAnswer | undefined>
  /**
   * Sends a shipment once. A time-out or a broken connection is an answer of kind `again`.
   *
   * @param signal ends the attempt, with the reason of the signal
   */
  send(shipment: Shipment, signal: AbortSignal): Promise<RemoteAnswer>
  /**
   * Whether events count as delivered only once they are accepted. Otherwise they count when they are sent, and a refusal is only an error.
   * Absent: always.
   */
  isAcknowledged?(batch: Pick<Shipment, 'lane' | 'version' | 'type' | 'options'>): boolean
}
