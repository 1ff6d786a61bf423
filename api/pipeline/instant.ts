/** UNIX ms of a date-time. A leap second, which RFC 3339 allows and JavaScript does not know, is the second before it. */
export function instantMs(text: string): number {
  return Date.parse(text.replace(/:60(?=[.Zz+-])/, ':59'))
}
