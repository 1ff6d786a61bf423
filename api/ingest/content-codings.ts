import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { ApiError, badRequest, payloadTooLarge } from '../http/errors.ts'
import { inflateBody } from './body.ts'
import { decompressSnappy, SnappyError, snappyLength } from './snappy.ts'

const decompressZstd = promisify(zstdDecompress)

const CODINGS = ['gzip', 'deflate', 'zstd', 'snappy'] as const
type Coding = (typeof CODINGS)[number]
/** One coding is useful; several only cost time. */
const MAX_CODINGS = 4

/**
 * The codings of a pushed body, in the order in which they were applied: components, section 6.1.
 *
 * @throws ApiError 415
 */
export function contentCodingsOf(headers: IncomingHttpHeaders): Coding[] {
  const codings = (headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map(coding => coding.trim().replace(/^x-/, ''))
    .filter(coding => coding !== '' && coding !== 'identity')
  const unknown = codings.find(coding => !isCoding(coding))
  if (unknown !== undefined)
    throw unsupported(`"content-encoding" must be of ${CODINGS.join(', ')}, identity`)
  if (codings.length > MAX_CODINGS)
    throw unsupported(`"content-encoding" must NOT have more than ${MAX_CODINGS} codings`)
  return codings as Coding[]
}

/**
 * Undoes the codings of a body, the last one first. Never holds more than the limit of any of them.
 *
 * @throws ApiError 400 for damaged data, 413 when it becomes larger than the limit
 */
export async function decodedContent(
  body: Buffer,
  codings: readonly Coding[],
  limitBytes: number,
): Promise<Buffer> {
  let content = body
  for (const coding of codings.toReversed()) content = await decoded(content, coding, limitBytes)
  return content
}

async function decoded(content: Buffer, coding: Coding, limitBytes: number): Promise<Buffer> {
  switch (coding) {
    case 'zstd':
      return unzstd(content, limitBytes)
    case 'snappy':
      return unsnappy(content, limitBytes)
    default:
      return inflateBody({ chunks: [content], bytes: content.length }, coding, limitBytes)
  }
}

async function unzstd(content: Buffer, limitBytes: number): Promise<Buffer> {
  try {
    return await decompressZstd(content, { maxOutputLength: limitBytes })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw payloadTooLarge()
    if (code?.startsWith('ZSTD_') !== true && code?.startsWith('Z_') !== true) throw cause
    throw damaged('zstd')
  }
}

function unsnappy(content: Buffer, limitBytes: number): Buffer {
  try {
    if (snappyLength(content) > limitBytes) throw payloadTooLarge()
    return decompressSnappy(content)
  } catch (error) {
    if (error instanceof SnappyError) throw damaged('snappy')
    throw error
  }
}

function isCoding(coding: string): coding is Coding {
  return (CODINGS as readonly string[]).includes(coding)
}

function damaged(coding: Coding): ApiError {
  return badRequest([{ message: `The body is not valid ${coding} data`, key: 'body' }])
}

function unsupported(message: string): ApiError {
  return new ApiError(415, 'UnsupportedEncoding', message)
}
