import type { IncomingHttpHeaders } from 'node:http'
import { gunzip, gunzipSync, inflate, inflateRaw, inflateRawSync, inflateSync } from 'node:zlib'
import type { RawBody } from '../http/bodies/received-bodies.ts'
import { type ApiError, badRequest, payloadTooLarge } from '../http/errors.ts'

/** Compressed bodies up to this size are inflated at once: handing them to another thread costs more. */
const SYNC_INFLATE_BYTES = 32 * 1024

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
