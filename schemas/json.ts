/**
 * A JSON value. Integers beyond ±(2^53 − 1) are bigint, so that no digit is lost on the way; a number beyond the range
 * of a double is its text.
 */
export type JsonValue = string | number | bigint | boolean | null | NumberText | JsonValue[] | JsonObject

export interface JsonObject {
  [key: string]: JsonValue
}

/**
 * A number beyond the range of a double, such as `1e400`: its decimal text as it was sent. It can be moved, printed and
 * compared for equality; there is nothing to calculate with.
 */
export class NumberText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }

  /** What makes `JSON.stringify` print the text as a number. */
  toJSON(): unknown {
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(this.text)
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
  )
}
