/**
 * Maximum size in bytes of a record with lines or events, unless a single one of them is larger. Each record has a fixed cost,
 * so small records are expensive; a large record is repeated as a whole.
 */
export const RECORD_BYTES = 900 * 1024

/**
 * Number of lines or events from which on a record takes no further request. Very short events are many in few bytes, and a record
 * is applied in few turns.
 */
export const RECORD_ROWS = 10_000

/**
 * Maximum size in bytes of a part of a value that is written as several records: a snapshot of the configuration, or a
 * checkpoint. It is fixed: a reader of a checkpoint reserves this many bytes for each part, also one of an earlier version.
 */
export const PART_BYTES = 900_000
