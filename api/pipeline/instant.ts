/**
 * Converts a date-time to UNIX ms. RFC 3339 allows leap seconds and JavaScript does not; one becomes the second before
 * it.
 */
export function instantMs(text: string): number {
  return Date.parse(text.replace(/:60(?=[.Zz+-])/, ':59'))
}
