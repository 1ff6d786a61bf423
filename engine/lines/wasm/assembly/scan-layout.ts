/**
 * Places of the regions in the memory of a reader of bodies. A body is read in parts: a part ends when the next line might not
 * fit into the remainder of a region. Every line fits into empty regions.
 */

/** Bytes between two regions that nobody may write; tests look at them. */
export const GUARD_BYTES: usize = 64
/** Bytes behind the content of a region that a step of 16 bytes may read or write beyond it. */
const SLACK: usize = 64
/** Regions begin behind the tables of the program. */
const FIRST_REGION: usize = 16 * 1024

/** UTF-8 bytes of a line's text and of its meta, as in line-limits.ts. */
export const LINE_LIMIT_BYTES: usize = 16_384
export const META_LIMIT_BYTES: usize = 32_768
/** A text in a column has at most that many bytes of length before it. */
export const MAX_LENGTH_BYTES: usize = 3

/** Lines of one part. */
export const MAX_ROWS: usize = 2048
/** Rest of a line: the source of its timestamp, with the names of three members. */
export const MAX_REST_BYTES: usize = 128
/** Different words of one part. */
export const MAX_WORDS: usize = 1024
/** Words of a line: host, app, level, env and file. */
export const ROW_WORDS: usize = 5
/** Bytes of the words of a line, as sent. */
export const MAX_ROW_WORD_BYTES: usize = 16 * 1024
/** More slots than words, so that a search ends soon. */
export const WORD_SLOTS: usize = 4096
const WORD_SIZE: usize = 8

/** Text columns, each text with its length before it. */
export const LINES: usize = FIRST_REGION
export const LINE_BYTES: usize = 1024 * 1024
export const METAS: usize = LINES + LINE_BYTES + SLACK + GUARD_BYTES
export const META_BYTES: usize = 512 * 1024
export const RESTS: usize = METAS + META_BYTES + SLACK + GUARD_BYTES
/** Columns with an entry per line: numbers of words, time in UNIX ms, and the form in which it was sent. */
export const HOSTS: usize = RESTS + MAX_ROWS * MAX_REST_BYTES + SLACK + GUARD_BYTES
export const APPS: usize = HOSTS + MAX_ROWS * 4 + GUARD_BYTES
export const LEVELS: usize = APPS + MAX_ROWS * 4 + GUARD_BYTES
export const ENVS: usize = LEVELS + MAX_ROWS * 4 + GUARD_BYTES
export const FILES: usize = ENVS + MAX_ROWS * 4 + GUARD_BYTES
export const TIMES: usize = FILES + MAX_ROWS * 4 + GUARD_BYTES
export const TIME_KINDS: usize = TIMES + MAX_ROWS * 8 + GUARD_BYTES
/** First byte and length of each word, the slots in which words are found, and bytes of words that were sent with escapes. */
export const WORDS: usize = TIME_KINDS + MAX_ROWS + GUARD_BYTES
export const SLOTS: usize = WORDS + (MAX_WORDS + 1) * WORD_SIZE + GUARD_BYTES
export const WORD_TEXTS: usize = SLOTS + WORD_SLOTS * 2 + GUARD_BYTES
export const WORD_TEXT_BYTES: usize = 64 * 1024
/** The body. It is the last region: pages of it that no body has reached take no memory. */
export const BODY: usize = WORD_TEXTS + WORD_TEXT_BYTES + SLACK + GUARD_BYTES
export const BODY_BYTES: usize = 12 * 1024 * 1024
export const MEMORY_END: usize = BODY + BODY_BYTES + SLACK + GUARD_BYTES
