/** Work whose cost is known only when it is done. Pauses change neither its answer nor its cost. */
export interface CountedWork<Answer> {
  /** Units so far, which depend only on the work itself. */
  readonly units: number
  /** All work so far, in units: together with that on tables which other work uses as well. */
  readonly work: number
  /** Number of characters that it reads, for accounts that owe units. */
  readonly characters: number
  /**
   * Continues until the answer is known or the units are used up.
   *
   * @param untilWork bound on all work
   * @returns undefined: the answer is not known yet
   */
  run(untilUnits: number, untilWork?: number): Answer | undefined
  /** Ends it, also without an answer: others use its memory. */
  end(): void
}

/** Does all of the work at once. */
export function answerOf<Answer>(counted: CountedWork<Answer>): Answer {
  return counted.run(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY) as Answer
}
