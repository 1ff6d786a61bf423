/** A query that cannot be read. The message is the one the API answers with: it starts with `"query"`. */
export class QuerySyntaxError extends Error {
  override readonly name = 'QuerySyntaxError'
  /** Index of the UTF-16 unit at fault; undefined when the query as a whole is. */
  readonly position: number | undefined
  /** The message without what it starts with, for queries that stand elsewhere. */
  readonly problem: string

  constructor(what: string, position?: number) {
    const problem = `${what}${position === undefined ? '' : ` at character ${position + 1}`}`
    super(`"query" ${problem}`)
    this.problem = problem
    this.position = position
  }
}
