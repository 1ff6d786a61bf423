/**
 * Places of the regions in memory. Nothing is allocated while lines are read: a row that does not fit into the
 * remainder of a region ends the part. A row that does not fit into an empty region falls back.
 */

/** Bytes between two regions that nobody may write; tests look at them. */
export const GUARD_BYTES: usize = 64
/** Bytes behind the content of a region that a step of 16 bytes may read or write beyond it. */
const SLACK: usize = 64
/** Regions begin behind the tables of the program. */
const FIRST_REGION: usize = 16 * 1024

/** Rows of one call. */
export const MAX_ROWS: usize = 2048
/** A longer row falls back. A line of ingestion has at most 16 KiB. */
export const MAX_ROW_BYTES: u32 = 64 * 1024
/** Entries of one call in each map column. A row has at most one per two of its bytes. */
export const MAX_ENTRIES: usize = 64 * 1024
/** Names of all accounts, with levels; when they are used up, all are forgotten. */
export const MAX_NAMES: usize = 32 * 1024
export const NAME_SIZE: usize = 48
/** Two buckets for each name, half of their slots used at most. */
export const NAME_BUCKETS: usize = 8 * 1024
export const BUCKET_SLOTS: usize = 8
export const SLOT_SIZE: usize = 8

/** Keys of the objects that are open while JSON is copied, to find a key that repeats. */
export const MAX_OPEN_KEYS: usize = 1024
export const OPEN_KEY_SIZE: usize = 8

/** Texts of the rows. */
export const INPUT: usize = FIRST_REGION
export const INPUT_BYTES: usize = 256 * 1024
/** Columns with an entry per row: first and last place in the input, members of the service, level. */
export const STARTS: usize = INPUT + INPUT_BYTES + SLACK + GUARD_BYTES
export const ENDS: usize = STARTS + MAX_ROWS * 4 + GUARD_BYTES
export const OWN: usize = ENDS + MAX_ROWS * 4 + GUARD_BYTES
export const LEVELS: usize = OWN + MAX_ROWS * 4 + GUARD_BYTES
/** Columns with an entry per row: place and length of its app, and the texts of apps. */
export const APPS: usize = LEVELS + MAX_ROWS * 4 + GUARD_BYTES
export const APP_LENGTHS: usize = APPS + MAX_ROWS * 4 + GUARD_BYTES
export const APP_TEXTS: usize = APP_LENGTHS + MAX_ROWS * 4 + GUARD_BYTES
export const APP_BYTES: usize = 32 * 1024
/** Columns with an entry per row: form, and the number of entries up to its end in both maps. */
export const FORMS: usize = APP_TEXTS + APP_BYTES + SLACK + GUARD_BYTES
export const TEXT_ENDS: usize = FORMS + MAX_ROWS + GUARD_BYTES
export const NUMBER_ENDS: usize = TEXT_ENDS + MAX_ROWS * 4 + GUARD_BYTES
/** Columns with an entry per member of a map: its name and its value, texts with their length before them. */
export const TEXT_NAMES: usize = NUMBER_ENDS + MAX_ROWS * 4 + GUARD_BYTES
export const TEXT_VALUES: usize = TEXT_NAMES + MAX_ENTRIES * 4 + GUARD_BYTES
export const TEXT_VALUE_BYTES: usize = 512 * 1024
export const NUMBER_NAMES: usize = TEXT_VALUES + TEXT_VALUE_BYTES + SLACK + GUARD_BYTES
export const NUMBER_VALUES: usize = NUMBER_NAMES + MAX_ENTRIES * 4 + GUARD_BYTES
export const OPEN_KEYS: usize = NUMBER_VALUES + MAX_ENTRIES * 8 + GUARD_BYTES
/** Slots of a line, as in schemas/log/tables.ts, and the bytes of its literals, as in slots/line-shape.ts. */
export const SLOTS: usize = 16
export const MAX_LITERAL_BYTES: usize = 1024
/** Values of a shape: slots, the app and the level. */
export const MAX_VALUES: usize = SLOTS + 2
/** Columns with an entry per row: its shape, the number of its slots, and for each slot its place and length in the input. */
export const SHAPES: usize = OPEN_KEYS + MAX_OPEN_KEYS * OPEN_KEY_SIZE + GUARD_BYTES
export const SLOT_COUNTS: usize = SHAPES + MAX_ROWS * 4 + GUARD_BYTES
export const SPANS: usize = SLOT_COUNTS + MAX_ROWS + GUARD_BYTES
export const SPAN_SIZE: usize = 8
/** Texts of the slots, column by column, then those of whole rows, each with its length before it; and their ends. */
export const SLOT_TEXTS: usize = SPANS + MAX_ROWS * SLOTS * SPAN_SIZE + GUARD_BYTES
/** No byte of the input is in two texts. A text has a byte for its length, and another one per 64 bytes at most. */
const SLOT_TEXT_BYTES: usize = INPUT_BYTES + INPUT_BYTES / 64 + (SLOTS + 1) * MAX_ROWS
export const SLOT_TEXT_ENDS: usize = SLOT_TEXTS + SLOT_TEXT_BYTES + SLACK + GUARD_BYTES
/**
 * Key of the shape of the present row; per value its name, the end of the literals before it, the objects around it, and its
 * kind.
 */
export const SHAPE_KEY: usize = SLOT_TEXT_ENDS + (SLOTS + 16) * 4 + GUARD_BYTES
export const SHAPE_NAMES: usize = SHAPE_KEY + MAX_LITERAL_BYTES + 2 * SLACK + GUARD_BYTES
export const SHAPE_LITERALS: usize = SHAPE_NAMES + MAX_VALUES * 4
export const SHAPE_DEPTHS: usize = SHAPE_LITERALS + MAX_VALUES * 4
export const SHAPE_KINDS: usize = SHAPE_DEPTHS + MAX_VALUES * 4
/** Names, the slots in which they are found, and their bytes. */
export const NAMES: usize = SHAPE_KINDS + 2 * SLACK + GUARD_BYTES
export const NAME_SLOTS: usize = NAMES + MAX_NAMES * NAME_SIZE + GUARD_BYTES
export const NAME_SLOT_BYTES: usize = NAME_BUCKETS * BUCKET_SLOTS * SLOT_SIZE
export const NAME_BYTES: usize = NAME_SLOTS + NAME_SLOT_BYTES + GUARD_BYTES
export const NAME_BYTES_LENGTH: usize = 1024 * 1024
export const MEMORY_END: usize = NAME_BYTES + NAME_BYTES_LENGTH + SLACK + GUARD_BYTES
