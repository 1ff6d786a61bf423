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

/** So much is copied at a time: where memory is new, a few megabytes take a millisecond. */
const COPIED_BYTES = 2 * 1024 * 1024

/** All of them, one behind the other. */
export function* joined(parts: readonly Uint8Array[]): Steps<Buffer> {
  const total = parts.reduce((sum, part) => sum + part.length, 0)
  const bytes = Buffer.allocUnsafeSlow(total)
  let at = 0
  let restAt = COPIED_BYTES
  for (const part of parts) {
    for (let from = 0; from < part.length; from += COPIED_BYTES) {
      const copied = part.subarray(from, from + COPIED_BYTES)
      bytes.set(copied, at)
      at += copied.length
      if (at < restAt) continue
      yield
      restAt = at + COPIED_BYTES
    }
  }
  return bytes
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
