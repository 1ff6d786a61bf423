import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import type { HttpAnswer } from '../../outbound/http-exchange.ts'
import { answeredJson } from './answered-json.ts'

/** An error in an answer of Google Cloud. */
export interface GoogleError {
  readonly message: string
  readonly details: readonly JsonObject[]
}

/** The error of an answer; undefined: the answer contains none that can be read. */
export function googleErrorOf(answer: HttpAnswer): GoogleError | undefined {
  const body = answeredJson(answer)
  const error = isJsonObject(body) ? body.error : undefined
  if (!isJsonObject(error)) return undefined
  const details: JsonValue = error.details ?? []
  return {
    message: typeof error.message === 'string' ? error.message : '',
    details: Array.isArray(details) ? details.filter(isJsonObject) : [],
  }
}

/** A detail by the end of its type, such as `CreateTimeSeriesSummary`. */
export function detailOf({ details }: GoogleError, type: string): JsonObject | undefined {
  return details.find(detail => String(detail['@type']).endsWith(`.${type}`))
}
