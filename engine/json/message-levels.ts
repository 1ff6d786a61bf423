/**
 * Arrays and objects within one another that a message may have, however it comes: pushed, parsed from a text, or as a sample of a
 * simulation.
 */
export const MAX_MESSAGE_LEVELS = 200

/** Members of one object of a sample. Pushed events have no such bound, but one on all their parts. (Our choice.) */
export const MAX_EVENT_MEMBERS = 100_000

/** Levels that a processor may build: deeper events could not be printed. (Our choice.) */
export const MAX_BUILT_LEVELS = 256
