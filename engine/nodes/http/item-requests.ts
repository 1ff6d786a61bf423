import type { HttpRequest } from '../../outbound/http-exchange.ts'
import type { BatchBounds, EncodedRequest } from '../contract/define-destination.ts'
import { type EventText, lengthOf, writeText } from './event-text.ts'
import { requestRanges } from './request-ranges.ts'

/** Texts around the items of a body. */
export interface ItemFrame {
  readonly begin: string
  readonly between: string
  readonly end: string
}

/** A JSON array. */
export const JSON_ARRAY: ItemFrame = { begin: '[', between: ',', end: ']' }

/** A request without its body. */
export type RequestHead = Omit<HttpRequest, 'body' | 'compression'>

/** Bytes that an item adds to a body, including the separator from the next. */
export function itemBytes(item: EventText, { between }: ItemFrame): number {
  return lengthOf(item) + between.length
}

/** Bytes of a body that remain for items. */
export function roomForItems(bytes: number, { begin, between, end }: ItemFrame): number {
  // The last item has nothing behind it.
  return bytes - Buffer.byteLength(begin) - Buffer.byteLength(end) + between.length
}

/**
 * Requests whose bodies consist of one text per event, in order.
 *
 * @param bounds those of batches
 * @param headOf head of a request, by its number in the batch and the number of its events
 */
export function* itemRequests(
  items: readonly EventText[],
  frame: ItemFrame,
  bounds: Omit<BatchBounds, 'ageMs'>,
  headOf: (index: number, events: number) => RequestHead,
  compression: 'gzip' | 'none' = 'none',
): Generator<EncodedRequest<HttpRequest>> {
  const sizes = items.map(item => itemBytes(item, frame))
  for (const [index, [first, last]] of requestRanges(sizes, bounds).entries()) {
    const head = headOf(index, last - first)
    const body = bodyOf(items.slice(first, last), sizes.slice(first, last), frame)
    yield { request: compression === 'gzip' ? gzipped(head, body) : { ...head, body }, events: last - first }
  }
}

/** @param sizes bytes that each item adds */
function bodyOf(items: readonly EventText[], sizes: readonly number[], frame: ItemFrame): Buffer {
  const { begin, between, end } = frame
  // Strings are joined faster than they are written one by one.
  if (areStrings(items)) return Buffer.from(`${begin}${items.join(between)}${end}`)
  const around = Buffer.byteLength(begin) + Buffer.byteLength(end) - between.length
  const body = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + size, around))
  let at = body.write(begin)
  for (const [index, item] of items.entries()) {
    if (index > 0) for (let unit = 0; unit < between.length; unit++) body[at++] = between.charCodeAt(unit)
    at = writeText(item, body, at)
  }
  body.write(end, at)
  return body
}

function areStrings(items: readonly EventText[]): items is readonly string[] {
  return items.every(item => typeof item === 'string')
}

/** Headers of the request may say otherwise about its coding. */
function gzipped(head: RequestHead, body: Buffer): HttpRequest {
  const headers = { 'content-encoding': 'gzip', ...head.headers }
  return { ...head, headers, body, compression: 'gzip' }
}
