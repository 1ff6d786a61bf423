import { textLiteral } from '../sql-text.ts'
import { type Expression, named } from './condition.ts'

/**
 * Values of a statement from outside. Each is a query parameter with a name in front of the statement (`WITH {c0:String}
 * AS c0`). A long pattern is therefore sent once, however often it is used.
 */
export class SqlConstants {
  readonly parameters: Record<string, unknown> = {}
  readonly #prefix: string
  readonly #definitions: string[] = []
  readonly #names = new Map<string, Expression>()
  #literalCharacters = 0

  /** @param prefix of the names, which differs between the parts of a statement on two tables */
  constructor(prefix = 'c') {
    this.#prefix = prefix
  }

  text(value: string): Expression {
    return this.#add('String', value, textLiteral(value).length)
  }

  texts(values: readonly string[]): Expression {
    return this.#add(
      'Array(String)',
      values,
      values.reduce((sum, value) => sum + textLiteral(value).length + 2, 0),
    )
  }

  /** @param value not NaN */
  number(value: number): Expression {
    return this.#add('Float64', String(value), 0)
  }

  /** @param values finite */
  numbers(values: readonly number[]): Expression {
    return this.#add(
      'Array(Float64)',
      values,
      values.reduce((sum, value) => sum + String(value).length + 4, 0),
    )
  }

  /** @param value an integer that a double can represent */
  integer(value: number): Expression {
    return this.#add('Int64', String(value), 0)
  }

  get withClause(): string {
    return withClause([this])
  }

  /** Definitions of the constants, for `withClause`. */
  get definitions(): readonly string[] {
    return this.#definitions
  }

  /**
   * Number of characters of the values in a statement that contains them as literals, like those of the embedded engine.
   */
  get literalCharacters(): number {
    return this.#literalCharacters + this.withClause.length
  }

  #add(type: string, value: unknown, characters: number): Expression {
    const key = `${type} ${JSON.stringify(value)}`
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const name = `${this.#prefix}${this.#definitions.length}`
    const constant = named(name)
    this.#names.set(key, constant)
    this.#definitions.push(`{${name}:${type}} AS ${name}`)
    this.parameters[name] = value
    this.#literalCharacters += characters
    return constant
  }
}

/** Clause in front of a statement, which defines constants of other prefixes each. */
export function withClause(constants: readonly SqlConstants[]): string {
  const definitions = constants.flatMap(each => each.definitions)
  return definitions.length === 0 ? '' : `WITH ${definitions.join(', ')}\n`
}
