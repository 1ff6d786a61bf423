import { Event } from '../../event/event.ts'
import type { HttpRequest } from '../../outbound/http-exchange.ts'
import type { Batch, EncodedRequest } from '../contract/define-destination.ts'

const BATCH_HEADER = 'idempotency-key'
/** The id never leaves, because the header with it is removed. */
const NO_BATCH = '00000000-0000-4000-8000-000000000000'

/** A batch of one event, for a request whose body is removed. */
export function batchToCheck(event = Event.of({}, {}, new Date(0).toISOString())): Batch {
  return { id: NO_BATCH, events: [event], eventIds: ['0'], closedMs: 0 }
}

/** The first of some requests, without its body and without the id of its batch; undefined: there are none. */
export function emptiedRequest(encoded: Iterable<EncodedRequest<HttpRequest>>): HttpRequest | undefined {
  for (const { request } of encoded) {
    const { headersAfterConflict: _, headers, ...sent } = request
    const { [BATCH_HEADER]: _id, ...rest } = headers
    return { ...sent, headers: rest, body: Buffer.alloc(0) }
  }
  return undefined
}
