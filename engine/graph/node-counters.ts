/**
 * Exact counts of one node's work. In events, for every node: in + copied + created = out + dropped + failed + merged +
 * held.
 */
export interface NodeCounters {
  eventsIn: number
  /** Bytes as `Event.bytes` counts them; the same holds for the other members in bytes. */
  bytesIn: number
  /** Events passed on, once per edge. */
  eventsOut: number
  bytesOut: number
  /** Additional copies, if an event leaves by more than one edge or output, or is merged into more than one window. */
  copied: number
  /** Events created from others, beyond one for one. */
  created: number
  /** Events left out on purpose, and events of an output without a target. */
  dropped: number
  droppedBytes: number
  failed: number
  merged: number
  /** Change of the number of events that the node holds back; may be negative. */
  held: number
}

export function noCounts(): NodeCounters {
  return {
    eventsIn: 0,
    bytesIn: 0,
    eventsOut: 0,
    bytesOut: 0,
    copied: 0,
    created: 0,
    dropped: 0,
    droppedBytes: 0,
    failed: 0,
    merged: 0,
    held: 0,
  }
}
