/** A JSON value. Integers beyond ±(2^53 − 1) are bigint, so that no digit is lost on the way. */
export type JsonValue = string | number | bigint | boolean | null | JsonValue[] | JsonObject

export interface JsonObject {
  [key: string]: JsonValue
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
