/** UTC day of a time in milliseconds since 1970, as YYYY-MM-DD. */
export function utcDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 'YYYY-MM-DD'.length)
}
