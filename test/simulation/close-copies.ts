/** Some hours less than what the engine remembers a repeat for. */
const REMEMBERED_MS = 20 * 3_600_000

/** Repeats are told for a day of log time; what comes later is new by the rules. @param timesMs rising */
export function closeCopies(timesMs: readonly number[]): number {
  const isLate = (timeMs: number, index: number) =>
    index > 0 && timeMs - (timesMs[index - 1] as number) > REMEMBERED_MS
  return timesMs.length - timesMs.filter(isLate).length
}
