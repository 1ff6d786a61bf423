/**
 * Work that is done in stretches: whoever drives it may let others work after each. What comes of it does not depend on
 * where it rests, or whether it does.
 */
export type Steps<Result = void> = Generator<undefined, Result, undefined>

/** Does all of the work at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Of a stretch: less than a millisecond, but for code that has only begun to run. */
const STRETCH_UNITS = 50_000
/** An event at a node, whatever the node does beside judging expressions. */
export const EVENT_UNITS = 200

/** How much of the stretch in hand is left, by a count of the work. */
export class Stretch {
  /** Units; 0 or less: it is over. */
  left = STRETCH_UNITS

  begin(): void {
    this.left = STRETCH_UNITS
  }
}
