/**
 * What a line without a text counts against the limit of a body, unless it is longer: 2 MB have room for 700,000 of them, and
 * each costs as much time as one with a text. The specification bounds bytes and not lines, so lines with a text count
 * nothing beside their bytes. (Our choice.)
 */
export const LEAST_LINE_BYTES = 64
