/** Number of the rules by which the log is processed. The same log and number give the same result; any change raises it. */
export const BEHAVIOUR = 14
/** Rules that no later behaviour introduced. */
export const FIRST_BEHAVIOUR = 1
/**
 * Last behaviour number whose golden log and data folder are fixed: a program outside this repository may have written such logs.
 * A change of results after that needs a higher number. A release raises it to `BEHAVIOUR`.
 */
export const FIXED_BEHAVIOURS = 10
/** Accounts on many partitions, dead letters, exemptions and pauses; rekeyed records. */
export const SECOND_BEHAVIOUR = 2
/** Rules on lines, quotas, and nodes whose windows end without an event. */
export const THIRD_BEHAVIOUR = 3
/** Sources of gateway routes, and the events that they receive. */
export const FOURTH_BEHAVIOUR = 4
/**
 * This behaviour also changes how records of earlier kinds are processed. It is therefore in force in a partition only from the
 * first control record that carries it. Its changes:
 * - Batches end by the number of bytes on the log.
 * - A rule may keep lines longer than the account does.
 * - Keys keep the order in which they were sent, and numbers beyond a double keep their text.
 * - Meta is stored as compact JSON.
 * - The cost of expressions is bounded.
 * - The store records on which days names of fields are left out.
 */
export const FIFTH_BEHAVIOUR = 5
/** The processor unroll; checkpoints that name their states by records of a schema. */
export const SIXTH_BEHAVIOUR = 6
/**
 * Searches for plain words are not counted while they are little work on an event at a node: see `EventMeter`. As with the
 * fifth behaviour, this also changes how records of earlier kinds are processed, from the first control record that carries it.
 */
export const SEVENTH_BEHAVIOUR = 7
/**
 * A record that was refused because it landed below the known end of its partition counts as the place of a lost one: see
 * `isRefused`. Only programs of this behaviour mark their records so that readers can tell, and the mark alone decides.
 */
export const EIGHTH_BEHAVIOUR = 8
/**
 * Work that grows with the options of a node is counted like that of expressions: see `CostMeter.work`. Texts that a destination
 * renders are cut. As with the seventh behaviour, this also changes how records of earlier kinds are processed.
 */
export const NINTH_BEHAVIOUR = 9
/**
 * An account pays for all work on events that fail because of their cost, and for very many copies of an event: see
 * `ExpressionAllowance`. As with the seventh behaviour, this also changes how records of earlier kinds are processed.
 */
export const TENTH_BEHAVIOUR = 10
/**
 * Lines are stored in table `slotted_lines`. The form of a batch is that of the number in force at its first record. As with
 * the seventh behaviour, this also changes how records of earlier kinds are processed.
 */
export const ELEVENTH_BEHAVIOUR = 11
/**
 * Processors that were only declared before. Events may have annotations, which travel in records of schemas of their own. What the
 * nodes of an account make of one record is bounded: see `RecordYield`. Timestamps of events have the fewest fraction digits that keep
 * them. The time of the first of equal errors is recorded. Each output of a node is counted. Moves of events
 * to other partitions cost work. As with the seventh behaviour, this also changes how records of earlier kinds
 * are processed.
 */
export const TWELFTH_BEHAVIOUR = 12
/**
 * Destinations that send requests: a partition hands their events over to the outbox, and also the deletions of pipelines. See
 * `docs/design/delivery.md`. Scripts take steps to compare equal texts. As with the seventh behaviour, this also changes how
 * records of earlier kinds are processed.
 */
export const THIRTEENTH_BEHAVIOUR = 13
/**
 * Prefixes of integers are lower case alone. A union of sets removes the repeats within the first of them. An account owes for the
 * copies that parts of events contain: see `EventMeter.copies`. The bytes of parts count before the parts are made: see
 * `RecordYield`. Members of a changed line whose place needs another type are kept in its meta. What an error captures is cut by bytes. As with the seventh behaviour, this also changes how records of earlier kinds are processed.
 */
export const FOURTEENTH_BEHAVIOUR = 14
