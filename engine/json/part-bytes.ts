/**
 * Parts of a line or event, without its meta, that are free. A part is an array, an object, or a member at any depth. 2 MB
 * have room for 300,000 parts, and the fold reads all parts of a line or event without a break: 9,000 take some 30 ms. Meta has
 * its own limit. (Our choice.)
 */
export const FREE_PARTS = 1000
export const LEAST_PART_BYTES = 256

/** Bytes that this number of parts counts against the limits, beside those of the text. */
export function bytesOfParts(parts: number): number {
  return Math.max(0, parts - FREE_PARTS) * LEAST_PART_BYTES
}
