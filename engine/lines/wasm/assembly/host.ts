/**
 * Questions that the program answers. It alone knows which names of fields count today, and the rules of names.
 */

/**
 * A key that is in no slot, below a name; below the name that stands for levels the text of a level. The answer is the name that it added;
 * 0 when the row must fall back.
 */
export declare function nameOf(parent: u32, at: usize, length: u32): usize

/** Whether the block can have a row of this shape. Otherwise the row must be whole. */
export declare function admits(shape: u32): bool

/** Standing of a name of which the last answer was that it is new. */
export declare function standingOf(name: u32): u32
