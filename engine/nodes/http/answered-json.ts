import type { JsonValue } from '../../../schemas/json.ts'
import { parseBoundedNumbers } from '../../json/json-text.ts'
import type { HttpAnswer } from '../../outbound/http-exchange.ts'

/** JSON of an answer; undefined: it is not JSON, or was longer than its kept part. */
export function answeredJson({ body }: HttpAnswer): JsonValue | undefined {
  try {
    return parseBoundedNumbers(body)
  } catch {
    return undefined
  }
}
