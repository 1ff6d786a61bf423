import type { ErrorCode } from '../event/errors.ts'
import type { Event } from '../event/event.ts'

/** Trouble that a node had with one event: what an error record is made from (components, section 4.1). */
export interface NodeError {
  readonly nodeId: string
  readonly kind: 'source' | 'transform' | 'destination'
  readonly code: ErrorCode
  /** The path concerned, as it is configured. */
  readonly field: string | null
  readonly message: string
  readonly event: Event
  /** What to keep as the cause, where it is not the event itself. */
  readonly captured?: string | undefined
}
