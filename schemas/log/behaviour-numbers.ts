/** What the same log gives is fixed by this number; a change of it raises the number. */
export const BEHAVIOUR = 5
/** Everything that no later behaviour brought. */
export const FIRST_BEHAVIOUR = 1
/** Accounts on many partitions, dead letters, exemptions and pauses; rekeyed records. */
export const SECOND_BEHAVIOUR = 2
/** Rules on lines, quotas, and nodes whose windows end by themselves. */
export const THIRD_BEHAVIOUR = 3
/** Sources of gateway routes, and the events that they bring. */
export const FOURTH_BEHAVIOUR = 4
/**
 * Changes what records of earlier programs' kinds give, too: so it is in force in a partition from the first control
 * record on that carries it. Batches end by bytes on the log. A rule may keep lines longer than the account does. Keys
 * keep the order in which they were sent, and numbers beyond a double their text. Meta is stored as compact JSON. The cost
 * of expressions is bounded. Days on which names of fields are left out are noted.
 */
export const FIFTH_BEHAVIOUR = 5
