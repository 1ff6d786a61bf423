const BARS = 60

/** Events that passed at one time. */
interface Pass {
  /** UNIX ms. */
  readonly atMs: number
  readonly events: number
}

/** Events of each part of a window, the oldest first. Passes outside it are left out. */
export function passBars({
  passes,
  toMs,
  windowMs,
}: {
  readonly passes: readonly Pass[]
  /** End of the window, UNIX ms. */
  readonly toMs: number
  readonly windowMs: number
}): readonly number[] {
  const bars = Array.from({ length: BARS }, () => 0)
  for (const { atMs, events } of passes) {
    const at = Math.floor(((atMs - (toMs - windowMs)) / windowMs) * BARS)
    // A pass of this very moment belongs to the last part.
    const bar = atMs === toMs ? BARS - 1 : at
    if (bar >= 0 && bar < BARS) bars[bar] = (bars[bar] ?? 0) + events
  }
  return bars
}
