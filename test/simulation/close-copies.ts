/** A few hours less than the time for which the engine remembers repeats. */
const REMEMBERED_MS = 20 * 3_600_000

/** Number of repeats within a day of log time; later ones count as new by the rules. @param timesMs ascending */
export function closeCopies(timesMs: readonly number[]): number {
  const isLate = (timeMs: number, index: number) =>
    index > 0 && timeMs - (timesMs[index - 1] as number) > REMEMBERED_MS
  return timesMs.length - timesMs.filter(isLate).length
}
