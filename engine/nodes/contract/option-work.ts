/**
 * Units of the work that grows with the options of a node; see `CostMeter.work`. A unit takes about 5 ns.
 *
 * Nodes with few entries are not counted: they are as little work as any other node, and linear in the event.
 */

/** Largest number of entries of which each reads one value. */
export const UNCOUNTED_ENTRIES = 8
/** Largest number of entries of which each may read, or copy, the whole event. */
export const UNCOUNTED_PASSES = 2
/** Binary logarithm of the bytes that are copied per unit, as JSON text: 2. */
export const COPIED_AT_ONCE_BITS = 1
/** Reading a value that is missing. */
export const ENTRY_UNITS = 8
/** Cause of the failure of an event whose parts would repeat too much of it: see `EventMeter.copies`. */
export const PARTS_TOO_DEAR =
  'the parts of the event would repeat more of it than is free, and the account cannot owe that much, or still owes for earlier parts: use shorter lists, or send smaller events less often'
