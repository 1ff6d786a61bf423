const PLAIN_NAME = /^[\w.-]+$/

/** Text in quotes, as the query language reads it. */
export function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** Term for lines whose field has a value as a word. */
export function fieldTerm(field: string, value: string): string {
  return `${PLAIN_NAME.test(field) ? field : quoted(field)}:==${quoted(value)}`
}

/** A query and one more term. OR binds tighter than the blank, so the query needs no parentheses. */
export function withTerm(query: string, term: string): string {
  const present = query.trim()
  return present === '' ? term : `${present} ${term}`
}

/** A query and one more term whose lines are left out. */
export function withoutTerm(query: string, term: string): string {
  return withTerm(query, `-${term}`)
}
