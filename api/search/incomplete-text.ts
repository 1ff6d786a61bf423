/** Maximum number of listed days, because a header must be short. */
const MAX_DAYS = 31

/** Value of the header that names the days on which fields are missing. */
export function incompleteText(days: readonly string[]): string {
  const more = days.length - MAX_DAYS
  return `fields; days="${days.slice(-MAX_DAYS).join(', ')}"${more > 0 ? `; more=${more}` : ''}`
}
