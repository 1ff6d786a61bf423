import type { ErrorCode } from '../event/errors.ts'
import type { Event } from '../event/event.ts'

/** Error of a node with one event, from which an error record is made (components, section 4.1). */
export interface NodeError {
  readonly nodeId: string
  readonly kind: 'source' | 'transform' | 'destination'
  readonly code: ErrorCode
  /** The path concerned, as configured. */
  readonly field: string | null
  readonly message: string
  readonly event: Event
  /** The event as error records show it, if some of its values are hidden. */
  readonly shown?: Event | undefined
  /** Cause to keep, if it is not the event itself. */
  readonly captured?: string | undefined
}
