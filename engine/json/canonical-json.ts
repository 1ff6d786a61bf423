import { type JsonValue, NumberText } from '../../schemas/json.ts'
import { jsonText } from './json-text.ts'

/** Compact JSON with the keys of all objects ordered by code points. */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object' || value instanceof NumberText) return jsonText(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.keys(value)
    .sort(byCodePoint)
    .map(key => `${jsonText(key)}:${canonicalJson(value[key] as JsonValue)}`)
  return `{${members.join(',')}}`
}

/** The default order is by code units, which puts U+1F600 before U+FF21. */
function byCodePoint(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    if (one.charCodeAt(at) === other.charCodeAt(at)) continue
    const difference = (one.codePointAt(at) as number) - (other.codePointAt(at) as number)
    return difference
  }
  return one.length - other.length
}
