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

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }

  /** Makes `JSON.stringify` print the text as a number. */
  toJSON(): unknown {
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(this.text)
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
  )
}
