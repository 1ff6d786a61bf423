import { isJsonObject, type JsonValue } from '../../../../schemas/json.ts'
import type { HttpOutcome, HttpRequest } from '../../../outbound/http-exchange.ts'
import type { EncodedRequest, Verdict } from '../../contract/define-destination.ts'
import { answeredJson } from '../../http/answered-json.ts'
import { itemStatusVerdict, statusVerdict } from '../../http/http-verdict.ts'

const OK = 200
/** A document with the id of the event is there already: an earlier request was processed. */
const CONFLICT = 409
/** Type of an error: a name that contains nothing of the document. */
const ERROR_TYPE = /^[\w.]{1,100}$/

type BulkVerdict = Verdict<'E_DELIVERY_FAILED'>

/** Verdicts on a bulk request: one per item, or one on all of them. */
export function bulkVerdicts(
  answer: HttpOutcome,
  sent: EncodedRequest<HttpRequest>,
): BulkVerdict | readonly BulkVerdict[] {
  // A bulk request that is refused as a whole changed nothing.
  if ('failure' in answer || answer.status !== OK)
    return statusVerdict(answer, sent, { takesAllOrNothing: true })
  const found = answeredJson(answer)
  if (!isJsonObject(found)) return 'again'
  const { errors, items } = found
  if (errors === false) return 'delivered'
  // A repeat is harmless, because every document has its id.
  if (!Array.isArray(items) || items.length !== sent.events) return 'again'
  return items.map(itemVerdict)
}

function itemVerdict(item: JsonValue): BulkVerdict {
  const [result] = isJsonObject(item) ? Object.values(item) : []
  const { status, error } = isJsonObject(result) ? result : {}
  if (status === CONFLICT) return 'delivered'
  const type = isJsonObject(error) ? error.type : undefined
  return itemStatusVerdict(status, typeof type === 'string' && ERROR_TYPE.test(type) ? type : undefined)
}
