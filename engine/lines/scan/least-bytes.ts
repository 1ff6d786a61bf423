/**
 * What a line without a text counts against the limit of a body, unless it is longer: 2 MB have room for 700,000 of them, and
 * each costs as much time as one with a text. The specification bounds bytes and not lines, so lines with a text count
 * nothing beside their bytes. (Our choice.)
 */
export const LEAST_LINE_BYTES = 64

/**
 * Parts that a line may have beside its meta before each counts against the limit of a body, and what it counts then. A part
 * is a member, at any depth, or an array or object: 2 MB have room for 300,000, and all of one line are read in one go. Meta
 * has a limit of its own. (Our choice.)
 */
export const FREE_PARTS = 1000
export const LEAST_PART_BYTES = 64

/**
 * The same of tags. Those of a request are stored with each of its lines, and so count for each of them. (Our choice.)
 */
export const FREE_TAGS = 100
export const LEAST_TAG_BYTES = 64

/** What so many tags of one line count against the limit of a body. */
export function tagBytes(tags: number): number {
  return Math.max(0, tags - FREE_TAGS) * LEAST_TAG_BYTES
}
