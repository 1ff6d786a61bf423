/**
 * Least size of a line without a text, as counted against the limit of a body. 2 MB have room for 700,000 such lines, and
 * each takes as much time as one with a text. The specification bounds bytes and not lines, so a line with a text counts
 * only its bytes. (Our choice.)
 */
export const LEAST_LINE_BYTES = 64

/**
 * Number of tags that a line may have before each further tag counts. Tags of a request are stored with each of its
 * lines, and so count for each of them. (Our choice.)
 */
const FREE_TAGS = 100
const LEAST_TAG_BYTES = 64

/** Bytes that this number of tags of one line counts against the limit of a body. */
export function tagBytes(tags: number): number {
  return Math.max(0, tags - FREE_TAGS) * LEAST_TAG_BYTES
}
