/**
 * A JSON value. Integers beyond ±(2^53 − 1) are bigint, so that no digit is lost. A number beyond the range of a double is
 * represented by its text.
 */
export type JsonValue = string | number | bigint | boolean | null | NumberText | JsonValue[] | JsonObject

export interface JsonObject {
  [key: string]: JsonValue
}

/**
 * A number beyond the range of a double, such as `1e400`, as its original decimal text. It can be moved, printed and
 * compared for equality, but not used in calculations.
 */
export class NumberText {
  readonly text: string
  /** The number with the other sign, as soon as it was needed. */
  #opposite: NumberText | undefined

  constructor(text: string) {
    this.text = text
  }

  /** Its value as a double: infinite. The text, which may be long, is not read. */
  get double(): number {
    return this.text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }

  /** The number with the other sign. It is made only once, because a copy of the text may be long. */
  get opposite(): NumberText {
    if (this.#opposite === undefined) {
      this.#opposite = new NumberText(this.text.startsWith('-') ? this.text.slice(1) : `-${this.text}`)
      this.#opposite.#opposite = this
    }
    return this.#opposite
  }

  toString(): string {
    return this.text
  }

  /** Makes `JSON.stringify` print the text as a number. */
  toJSON(): unknown {
    return rawJson(this.text)
  }
}

/** A value that `JSON.stringify` prints as this text. @param text of a number */
export function rawJson(text: string): unknown {
  // TypeScript does not know the function yet.
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text)
}

export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
  )
}
