/** Question that the program of the reader answers. */

/** UNIX ms of a timestamp that was sent as a text in an unusual form; NaN when it is not a time. */
export declare function timeOfText(at: usize, length: u32): f64
