import { textLiteral } from '../sql-text.ts'

/**
 * Values of a statement that come from outside. Each is a query parameter, named once in front of the statement
 * (`WITH {c0:String} AS c0`), so that a long pattern is sent once however often it is used.
 */
export class SqlConstants {
  readonly parameters: Record<string, unknown> = {}
  readonly #definitions: string[] = []
  readonly #names = new Map<string, string>()
  #literalCharacters = 0

  text(value: string): string {
    return this.#add('String', value, textLiteral(value).length)
  }

  texts(values: readonly string[]): string {
    return this.#add(
      'Array(String)',
      values,
      values.reduce((sum, value) => sum + textLiteral(value).length + 2, 0),
    )
  }

  /** @param value finite */
  number(value: number): string {
    return this.#add('Float64', String(value), 0)
  }

  /** @param values finite */
  numbers(values: readonly number[]): string {
    return this.#add(
      'Array(Float64)',
      values,
      values.reduce((sum, value) => sum + String(value).length + 4, 0),
    )
  }

  /** @param value an integer that a double holds */
  integer(value: number): string {
    return this.#add('Int64', String(value), 0)
  }

  get withClause(): string {
    return this.#definitions.length === 0 ? '' : `WITH ${this.#definitions.join(', ')}\n`
  }

  /** What the values take in a statement that spells them out, as the embedded engine's do. */
  get literalCharacters(): number {
    return this.#literalCharacters + this.withClause.length
  }

  #add(type: string, value: unknown, characters: number): string {
    const key = `${type} ${JSON.stringify(value)}`
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const name = `c${this.#definitions.length}`
    this.#names.set(key, name)
    this.#definitions.push(`{${name}:${type}} AS ${name}`)
    this.parameters[name] = value
    this.#literalCharacters += characters
    return name
  }
}
