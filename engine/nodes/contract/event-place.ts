/**
 * Returns the place of the present event at a node, for values that must differ between events although nothing is drawn.
 *
 * A place is a text that no two events have: neither at two nodes, nor in two revisions, nor in two records. A replay of the
 * log repeats it. Simulations and previews give other places than the fold. The text is made only when it is asked for.
 */
export type EventPlace = () => string

/** Stands for the places where the caller gives none. @throws RangeError always: the caller does not give them */
export const NO_PLACE: EventPlace = () => {
  throw new RangeError('events have no places here')
}
