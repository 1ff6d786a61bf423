/** UTC time to the second, such as 2026-02-28 09:30:00. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}
