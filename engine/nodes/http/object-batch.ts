import type { Event } from '../../event/event.ts'
import type { HttpRequest } from '../../outbound/http-exchange.ts'
import { SECOND_MS } from '../../times/duration.ts'
import type { Batch, Batching, EncodedRequest } from '../contract/define-destination.ts'
import { BODY_FORMS, type BodyForm } from './body-form.ts'
import { compileDatedTemplate } from './dated-template.ts'
import { deliveryFailed } from './http-verdict.ts'
import { type ItemFrame, itemBytes, itemRequests, type RequestHead, roomForItems } from './item-requests.ts'
import { perConfig } from './per-config.ts'

/** Class "bulk" of components, section 7.1. */
const MAX_BYTES = 10_000_000
const DEFAULT_AGE_S = 300
/** Longest name that the services accept, in bytes of UTF-8. */
const MAX_NAME_BYTES = 1_024
/** Seconds, `-`, a UUID with the number of a further object, and `.log.gz`. */
const LONGEST_END_BYTES = 64
/** Folders that an address cannot contain: clients and servers resolve them. */
const DOT_FOLDER = /(?:^|\/)\.\.?\//

/** Options of a destination that writes objects, as its fold reads them. */
export interface ObjectOptions {
  readonly encoding?: keyof typeof BODY_FORMS | undefined
  readonly batch_timeout_secs?: number | undefined
}

/** Batches that become objects, one each: components, section 7.6. */
export interface ObjectBatches<Options extends ObjectOptions> {
  readonly batching: Batching<Options>
  /** Failure of an event whose object cannot have its name. */
  nameFailure(event: Event, config: Options): ReturnType<typeof deliveryFailed> | undefined
  /**
   * Requests that write the objects of a batch.
   *
   * @param headOf head of the request that writes the object of a name
   */
  requests(
    batch: Batch,
    config: Options & { readonly compression?: 'gzip' | 'none' | undefined },
    headOf: (name: string, contentType: string) => RequestHead,
  ): Iterable<EncodedRequest<HttpRequest>>
}

/** @param prefixOption the option with the beginning of names: a template with marks of time */
export function objectBatches<Options extends ObjectOptions>(
  prefixOption: (config: Options) => string | undefined,
): ObjectBatches<Options> {
  const templateOf = perConfig((config: Options) => compileDatedTemplate(prefixOption(config) ?? ''))
  // Without a field that it names, the option counts as left out: components, section 1.4.
  const prefixOf = (event: Event, config: Options) =>
    (templateOf(config).render(event, MAX_NAME_BYTES) ?? '').replace(/^\//, '')
  const batching: Batching<Options> = {
    bounds: config => ({
      bytes: roomForItems(MAX_BYTES, frameOf(config)),
      ageMs: (config.batch_timeout_secs ?? DEFAULT_AGE_S) * SECOND_MS,
    }),
    sizeOf: (event, config) => itemBytes(formOf(config).textOf(event), frameOf(config)),
    splitOf: prefixOf,
  }
  return {
    batching,
    nameFailure(event, config) {
      const prefix = prefixOf(event, config)
      if (Buffer.byteLength(prefix) > MAX_NAME_BYTES - LONGEST_END_BYTES)
        return deliveryFailed('The name of the object would be too long')
      if (DOT_FOLDER.test(prefix)) return deliveryFailed('The name of the object would contain "." or ".."')
      return undefined
    },
    *requests({ id, events, closedMs }, config, headOf) {
      const { contentType, textOf } = formOf(config)
      const [first] = events
      if (first === undefined) return
      const isGzip = config.compression === 'gzip'
      const begin = `${prefixOf(first, config)}${Math.floor(closedMs / SECOND_MS)}-${id}`
      const encoded = itemRequests(events.map(textOf), frameOf(config), batching.bounds(config), index =>
        headOf(
          `${begin}${index === 0 ? '' : `.${index + 1}`}.log${isGzip ? '.gz' : ''}`,
          isGzip ? 'application/gzip' : contentType,
        ),
      )
      // The object itself is compressed, so no header says that the transfer is.
      for (const { request, events: count } of encoded)
        yield { request: isGzip ? { ...request, compression: 'gzip' } : request, events: count }
    },
  }
}

function formOf({ encoding = 'text' }: ObjectOptions): BodyForm {
  return BODY_FORMS[encoding]
}

function frameOf(config: ObjectOptions): ItemFrame {
  return formOf(config).frame
}

/** Name of an object that nothing writes: a request for it shows whether the server accepts the credentials. */
export const CHECKED_NAME = 'weir-check'
