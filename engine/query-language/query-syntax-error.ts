/** A query that cannot be parsed. The message is the API's answer; it starts with `"query"`. */
export class QuerySyntaxError extends Error {
  override readonly name = 'QuerySyntaxError'
  /** Index of the faulty UTF-16 unit; undefined when the query as a whole is at fault. */
  readonly position: number | undefined
  /** The message without its start, for queries in other places. */
  readonly problem: string

  constructor(what: string, position?: number) {
    const problem = `${what}${position === undefined ? '' : ` at character ${position + 1}`}`
    super(`"query" ${problem}`)
    this.problem = problem
    this.position = position
  }
}
