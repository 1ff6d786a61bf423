import { createHash, timingSafeEqual } from 'node:crypto'
import type { LinePosition } from '../../engine/store/search/line-selection.ts'

/**
 * Position at which a page ended, bound to one request: export, section 6.3. The server keeps nothing. A token can only
 * name another position of the same answer, so it need not be secret.
 */
export interface PageToken {
  /** The last line before the next page. */
  readonly position: LinePosition
  /** Time of the first page, UNIX ms: lines that retention hid at that time are hidden on all pages. */
  readonly startedMs: number
}

const VERSION = 1
const POSITION_BYTES = 1 + 8 + 8 + 8 + 1 + 2 + 8 + 4
const DIGEST_BYTES = 16
const TOKEN = /^[A-Za-z0-9_-]+$/

/** @param parameters everything that the answer depends on, in a fixed form; 75 URL-safe characters come back */
export function encodePageToken({ position, startedMs }: PageToken, parameters: string): string {
  const bytes = Buffer.alloc(POSITION_BYTES)
  let at = bytes.writeUInt8(VERSION, 0)
  for (const time of [startedMs, position.ts, position.t]) at = bytes.writeDoubleBE(time, at)
  at = bytes.writeUInt8(position.topic, at)
  at = bytes.writeUInt16BE(position.partition, at)
  at = bytes.writeBigUInt64BE(BigInt(position.offset), at)
  bytes.writeUInt32BE(position.row, at)
  return Buffer.concat([bytes, digest(bytes, parameters)]).toString('base64url')
}

/** @returns undefined for a token that is damaged or belongs to other parameters */
export function decodePageToken(token: string, parameters: string): PageToken | undefined {
  if (!TOKEN.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== POSITION_BYTES + DIGEST_BYTES || bytes.toString('base64url') !== token)
    return undefined
  const content = bytes.subarray(0, POSITION_BYTES)
  if (!timingSafeEqual(bytes.subarray(POSITION_BYTES), digest(content, parameters))) return undefined
  return {
    startedMs: content.readDoubleBE(1),
    position: {
      ts: content.readDoubleBE(9),
      t: content.readDoubleBE(17),
      topic: content.readUInt8(25),
      partition: content.readUInt16BE(26),
      offset: content.readBigUInt64BE(28).toString(),
      row: content.readUInt32BE(36),
    },
  }
}

function digest(content: Uint8Array, parameters: string): Buffer {
  return createHash('sha256').update(content).update(parameters).digest().subarray(0, DIGEST_BYTES)
}
