/** A query that cannot be read. The message is the one the API answers with: it starts with `"query"`. */
export class QuerySyntaxError extends Error {
  override readonly name = 'QuerySyntaxError'
  /** Index of the UTF-16 unit at fault; undefined when the query as a whole is. */
  readonly position: number | undefined

  constructor(problem: string, position?: number) {
    super(`"query" ${problem}${position === undefined ? '' : ` at character ${position + 1}`}`)
    this.position = position
  }
}
