/** Record and revision that run through a graph: the part of the places of events that they share. */
export interface RunPlace {
  /** Number of the record: the events at each node are counted within it. */
  readonly record: bigint
  /** Text that differs between records and between revisions, and that a replay repeats. */
  text(): string
}
