import { isJsonObject } from '../../../../schemas/json.ts'
import type { Event } from '../../../event/event.ts'
import type { Template } from '../../../event/template.ts'
import type { AwsSignature, HttpRequest } from '../../../outbound/http-exchange.ts'
import { SECOND_MS } from '../../../times/duration.ts'
import type { Batch, Batching, EncodedRequest } from '../../contract/define-destination.ts'
import type { DeliveryFailure } from '../../contract/own-store.ts'
import { compileDatedTemplate } from '../../http/dated-template.ts'
import { jsonFormOf } from '../../http/event-text.ts'
import { authorizationOf, targetOf } from '../../http/http-headers.ts'
import { type ItemFrame, itemRequests } from '../../http/item-requests.ts'
import { perConfig } from '../../http/per-config.ts'
import type { ElasticsearchConfig } from './elasticsearch-options.ts'

/** Size of a request: components, section 7.1, class "search". */
const MAX_BYTES = 10_000_000
/** Decimal digits of the largest id of an event, which has 128 bits. */
const ID_CHARACTERS = 39
/** Only these members of an answer are read. A rejected event of a large batch would otherwise hide in megabytes of text. */
const ANSWER_MEMBERS = 'errors,items.*.status,items.*.error.type'
const BYTES_PER_ITEM = 160
const LEAST_ANSWER_BYTES = 64 * 1024
/** Each item consists of two whole lines. */
const ITEMS: ItemFrame = { begin: '', between: '', end: '' }

type IndexConfig = Pick<ElasticsearchConfig, 'index'>

const indexOf = perConfig(({ index = '' }: IndexConfig): Template => compileDatedTemplate(index))

/** Failure of an event whose index does not render. */
export function indexFailure(event: Event, config: IndexConfig): DeliveryFailure<'E_NOT_FOUND'> | undefined {
  const field = indexOf(config).missingPath(event)
  if (field === undefined) return undefined
  return {
    code: 'E_NOT_FOUND',
    field,
    message: 'The name of the index needs a field that is not in the event',
  }
}

export const bulkBatching: Batching<IndexConfig> = {
  bounds: () => ({ bytes: MAX_BYTES, ageMs: SECOND_MS }),
  sizeOf: (event, config) => Buffer.byteLength(itemOf(event, ''.padEnd(ID_CHARACTERS), config)),
}

/** Requests of a batch to the bulk API. */
export function bulkRequests(
  { events, eventIds }: Batch,
  config: ElasticsearchConfig,
): Iterable<EncodedRequest<HttpRequest>> {
  const { endpoints, auth, compression, pipeline } = config
  const query = new URLSearchParams({
    filter_path: ANSWER_MEMBERS,
    ...(pipeline !== undefined && { pipeline }),
  })
  const [first, ...others] = endpoints.map(endpoint => targetOf(endpoint, `_bulk?${query}`))
  return itemRequests(
    events.map((event, index) => itemOf(event, eventIds[index] as string, config)),
    ITEMS,
    bulkBatching.bounds(config),
    (_index, items) => ({
      ...{ method: 'POST', url: first?.url ?? '' },
      ...(others.length > 0 && { otherUrls: others.map(({ url }) => url) }),
      headers: { 'content-type': 'application/x-ndjson', ...first?.headers, ...authorizationOf(auth) },
      connection: { answerBytes: LEAST_ANSWER_BYTES + items * BYTES_PER_ITEM },
      ...(auth.strategy === 'aws' && { signature: signatureOf(auth) }),
    }),
    compression,
  )
}

/** Action and document of an event. */
function itemOf(event: Event, id: string, config: IndexConfig): string {
  const index = indexOf(config).render(event) ?? ''
  // The message of such an event is an object, and is not parsed to see that.
  const isObject = event.printedMessage !== undefined || isJsonObject(event.message)
  const document = isObject ? jsonFormOf(event) : `{"message":${jsonFormOf(event)}}`
  return `{"create":{"_index":${JSON.stringify(index)},"_id":"${id}"}}\n${document}\n`
}

function signatureOf(auth: ElasticsearchConfig['auth']): AwsSignature {
  const { access_key_id: accessKeyId = '', secret_access_key: secretAccessKey = '', region = '' } = auth
  return { accessKeyId, secretAccessKey, region, service: 'es' }
}
