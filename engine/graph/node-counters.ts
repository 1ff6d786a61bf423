/**
 * What one node did, exactly. In events, for every node:
 * in + copied + created = out + dropped + failed + merged + held.
 */
export interface NodeCounters {
  eventsIn: number
  /** Bytes as `Event.bytes` counts them; the same holds for the other members in bytes. */
  bytesIn: number
  /** Events handed on, once per edge that they took. */
  eventsOut: number
  bytesOut: number
  /** Further copies, where an event leaves by more than one edge or output. */
  copied: number
  /** Events made from others beyond one for one. */
  created: number
  /** Left out on purpose, and what came to an output that leads nowhere. */
  dropped: number
  droppedBytes: number
  failed: number
  merged: number
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
