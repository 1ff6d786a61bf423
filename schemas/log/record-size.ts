/**
 * Maximum size in bytes of a record with lines or events, unless a single one of them is larger. Each record has a fixed cost,
 * so small records are expensive; a large record is repeated as a whole.
 */
export const RECORD_BYTES = 900 * 1024
