import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { defineParser, MAX_PARTS, objectOf } from './define-parser.ts'

/** A query of a URL. A repeated key gives a list. */
export const queryString = defineParser({
  id: 'parse_query_string',
  compile: () => queryOf,
  examples: [
    { text: '?oven=4&oven=7&dry', value: { oven: ['4', '7'], dry: '' } },
    { text: 'a=1+2%20%E2%82%AC&b=', value: { a: '1 2 €', b: '' } },
    { text: '', value: {} },
  ],
})

/** @returns undefined when there are too many pairs */
export function queryOf(text: string): JsonObject | undefined {
  if (text.length > MAX_PARTS && text.split('&', MAX_PARTS + 1).length > MAX_PARTS) return undefined
  const values = new Map<string, JsonValue>()
  for (const [key, value] of new URLSearchParams(text)) {
    const known = values.get(key)
    if (known === undefined) values.set(key, value)
    else if (Array.isArray(known)) known.push(value)
    else values.set(key, [known, value])
  }
  return objectOf([...values])
}
