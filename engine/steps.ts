/** Work in stretches: its driver may run other work after each. The result does not depend on the pauses. */
export type Steps<Result = void> = Generator<undefined, Result, undefined>

/** Does all of the work at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Bytes per copy: where memory is new, a few megabytes take a millisecond. */
const COPIED_BYTES = 2 * 1024 * 1024

/** Copies bytes to the beginning of others. */
export function* copied(source: Uint8Array, target: Uint8Array): Steps {
  target.set(source.subarray(0, COPIED_BYTES))
  for (let from = COPIED_BYTES; from < source.length; from += COPIED_BYTES) {
    yield
    target.set(source.subarray(from, from + COPIED_BYTES), from)
  }
}

/** Joins the parts in order. */
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

/** Units of one stretch: less than a millisecond once the code is compiled. */
export const STRETCH_UNITS = 50_000
/** Units of an event at a node, in addition to the cost of expressions. */
export const EVENT_UNITS = 200
/** Units per byte of an event whose members are read one by one. */
export const MEMBER_BYTE_UNITS = 4

/** Remaining units of the present stretch. */
export class Stretch {
  /** The stretch is over at 0 or less. */
  left = STRETCH_UNITS

  begin(): void {
    this.left = STRETCH_UNITS
  }
}
