/** A line of CSV as in RFC 4180, without its end: values with separators, quotes or line ends are quoted. */
export function csvLine(values: readonly string[]): string {
  return values.map(value => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(',')
}
