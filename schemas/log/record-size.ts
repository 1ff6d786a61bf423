/**
 * Bytes that writers of lines and events put into one record, unless one of them is larger by itself. Each record costs
 * the same work, so small ones are dear; a large one is repeated as a whole.
 */
export const RECORD_BYTES = 900 * 1024
