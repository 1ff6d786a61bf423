import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { gunzip, gunzipSync, inflate, inflateRaw, inflateRawSync, inflateSync } from 'node:zlib'
import { type ApiError, badRequest, payloadTooLarge, unavailable } from '../http/errors.ts'
import type { ByteBudget } from './byte-budget.ts'

/** Compressed bodies up to this size are inflated at once: handing them to another thread costs more. */
const SYNC_INFLATE_BYTES = 32 * 1024

/** A request body as it came, before decompression. */
export interface RawBody {
  readonly chunks: readonly Buffer[]
  readonly bytes: number
}

export interface BodyLimits {
  /** Limit of the body both as sent and decompressed: ingestion, section 1.3. */
  readonly limitBytes: number
  /** Budget that counts the bytes being collected. */
  readonly budget: ByteBudget
}

/**
 * Collects a request body. A refusal is a value and not an exception: an exception in a content-type parser makes fastify
 * close the connection. That connection is usable again once the rest of the body was read behind the answer.
 *
 * @param done is called exactly once: with the body, or with the ApiError (413, 400, 503) to answer with
 */
export function collectBody(
  stream: Readable,
  headers: IncomingHttpHeaders,
  { limitBytes, budget }: BodyLimits,
  done: (body: RawBody | ApiError) => void,
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  let taken = 0
  let isOver = false

  const refuse = (error: ApiError) => {
    isOver = true
    chunks.length = 0
    budget.give(taken)
    done(error)
  }
  stream.on('data', (chunk: Buffer) => {
    if (isOver) return
    bytes += chunk.length
    if (bytes > limitBytes) return refuse(payloadTooLarge())
    if (!budget.take(chunk.length))
      return refuse(unavailable('Too many requests are being received at once', 1))
    taken += chunk.length
    chunks.push(chunk)
  })
  stream.on('end', () => {
    if (isOver) return
    isOver = true
    budget.give(taken)
    done({ chunks, bytes })
  })
  const broken = () => {
    if (!isOver) refuse(badRequest([{ message: 'The request ended before its body did', key: 'body' }]))
  }
  stream.on('error', broken)
  stream.on('close', broken)
  // The size is known before the first byte, so the answer is sent at once, and the body is read afterwards.
  if (Number(headers['content-length']) > limitBytes) refuse(payloadTooLarge())
}

export type ContentCoding = 'identity' | 'gzip' | 'deflate'

/** @throws ApiError 400 for an unknown coding, or for several */
export function contentCodingOf(headers: IncomingHttpHeaders): ContentCoding {
  const codings = (headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map(coding => coding.trim())
    .filter(coding => coding !== '' && coding !== 'identity')
  if (codings.length === 0) return 'identity'
  const [coding] = codings
  if (codings.length === 1 && (coding === 'gzip' || coding === 'x-gzip')) return 'gzip'
  if (codings.length === 1 && coding === 'deflate') return 'deflate'
  const message = '"content-encoding" must be one of [gzip, deflate, identity]'
  throw badRequest([{ message, key: 'content-encoding' }])
}

/**
 * Decompresses a body. Never holds more than the limit, however large the result would be.
 *
 * @returns the result itself for a small body, so that most requests need not wait for another turn of the event loop
 * @throws ApiError 400 for damaged data, 413 when the result exceeds the limit; a promise rejects with the same errors
 */
export function inflateBody(
  body: RawBody,
  coding: 'gzip' | 'deflate',
  limitBytes: number,
): Buffer | Promise<Buffer> {
  const bytes = Buffer.concat(body.chunks)
  const options = { maxOutputLength: limitBytes }
  const raw = coding === 'deflate' && !hasZlibHeader(bytes)
  if (bytes.length <= SYNC_INFLATE_BYTES) {
    const inflateNow = coding === 'gzip' ? gunzipSync : raw ? inflateRawSync : inflateSync
    try {
      return inflateNow(bytes, options)
    } catch (error) {
      throw inflateError(error, coding)
    }
  }
  const inflateLater = coding === 'gzip' ? gunzip : raw ? inflateRaw : inflate
  return new Promise((resolve, reject) => {
    inflateLater(bytes, options, (error, inflated) => {
      if (error === null) resolve(inflated)
      else reject(inflateError(error, coding))
    })
  })
}

/** Senders use two forms of deflate: the zlib format of RFC 9110, and bare data. */
function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && ((bytes[0] as number) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
}

function inflateError(cause: unknown, coding: string): ApiError {
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ERR_BUFFER_TOO_LARGE') return payloadTooLarge()
  if (code?.startsWith('Z_') !== true) throw cause
  return badRequest([{ message: `The body is not valid ${coding} data`, key: 'body' }])
}
