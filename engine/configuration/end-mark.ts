import { createHash, timingSafeEqual } from 'node:crypto'
import { HEADER_BYTES } from '../../schemas/log/wire-format.ts'
import type { LogRecord, Topic } from '../log/log.ts'
import { recordsBetween } from '../log/records-between.ts'
import type { Seal } from './seal.ts'

/**
 * Known end of the configuration log. It is kept beside the log and in the store. It is written once everything below it is
 * durable, so it may be behind the log, but never ahead of it.
 */
export interface EndMark {
  /** Id of the topic. */
  readonly logId: string
  /** Number of losses accepted below the mark. If the log has more, a later acceptance has already judged this mark. */
  readonly losses: number
  /** Offset after the last record. */
  readonly next: bigint
  /** Highest version that an entity can have at that offset. */
  readonly version: number
  /** SHA-256 over the records of the stretch, hexadecimal; see `EndDigest`. */
  readonly digest: string
}

/** A place that keeps one end mark, as a signed text. */
export interface MarkKeeper {
  /** Name of the place, for people. */
  readonly place: string
  /**
   * @returns undefined when the place has no mark
   * @throws MarkUnreadableError; any other error is temporary
   */
  read(): Promise<EndMark | undefined>
  /** Resolves when the mark is durable. */
  write(mark: EndMark): Promise<void>
}

/** The content of a place is not a mark signed by this installation. */
export class MarkUnreadableError extends Error {
  override readonly name = 'MarkUnreadableError'
}

/** Maximum number of records that a digest covers, so that a start reads them back in milliseconds. */
const STRETCH_RECORDS = 1_024n
const PLACE = 'end of the configuration'

/** First offset of a record's stretch. */
function stretchOf(offset: bigint): bigint {
  return offset - (offset % STRETCH_RECORDS)
}

/**
 * Running digest of the records since the start of their stretch of 1,024 offsets. Event ids are unique, so a log that
 * was cut and then extended differs already in its last stretch.
 */
export class EndDigest {
  #stretch = -1n
  #hash = createHash('sha256')

  /** First offset that the digest needs when the next record has the given offset. */
  static neededFrom(next: bigint): bigint {
    return next === 0n ? 0n : stretchOf(next - 1n)
  }

  /** Adds the next record. */
  add({ offset, value }: LogRecord): void {
    const stretch = stretchOf(offset)
    if (stretch !== this.#stretch) this.#hash = createHash('sha256')
    this.#stretch = stretch
    // The header is left out: if a schema registry is set up later, the same record carries another id.
    const body = value.subarray(HEADER_BYTES)
    const place = Buffer.alloc(12)
    place.writeBigUInt64BE(offset, 0)
    place.writeUInt32BE(body.length, 8)
    this.#hash.update(place).update(body)
  }

  /** Digest of all added records. */
  get text(): string {
    return this.#hash.copy().digest('hex')
  }
}

/** The end of a log as it was at an earlier offset. */
export interface FoundEnd {
  /** Offset of the last record below it; -1 when it does not exist. */
  readonly last: bigint
  /** Digest of the remaining records of the stretch. */
  readonly digest: string
  /** First offset that the digest covers. */
  readonly from: bigint
}

/** Reads the records right below an offset. @throws LogError like `Topic.read` */
export async function endBelow(topic: Topic, next: bigint): Promise<FoundEnd> {
  const bounds = await topic.bounds(0)
  const digest = new EndDigest()
  const from = EndDigest.neededFrom(next)
  const end = next < bounds.next ? next : bounds.next
  for (let start = from; ; start -= STRETCH_RECORDS) {
    let last = -1n
    for await (const record of recordsBetween(topic, 0, { first: start < 0n ? 0n : start, next: end })) {
      if (start === from) digest.add(record)
      last = record.offset
    }
    if (last >= 0n || start <= bounds.first) return { last, digest: digest.text, from }
  }
}

/** Whether the first mark covers more than the second. */
export function isBeyond(one: EndMark, other: EndMark | undefined): boolean {
  if (other === undefined) return true
  return one.losses > other.losses || (one.losses === other.losses && one.next > other.next)
}

/** The text of a mark with its signature. */
export function signedMark(mark: EndMark, seal: Seal): string {
  const text = textOf(mark)
  return `${text} ${seal.signature(text, PLACE)}`
}

/** @returns undefined when the text is not a mark with a signature of that key */
export function readMark(signed: string, seal: Seal): EndMark | undefined {
  const found = /^(([0-9A-Za-z_-]+) (\d{1,15}) (\d{1,15}) (\d{1,16}) ([0-9a-f]{64})) ([0-9a-f]{64})$/.exec(
    signed,
  )
  if (found === null) return undefined
  // Each group matched.
  const [, text, logId, losses, next, version, digest, signature] = found as unknown as string[]
  const expected = seal.signature(text as string, PLACE)
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(signature as string))) return undefined
  return {
    logId: logId as string,
    losses: Number(losses),
    next: BigInt(next as string),
    version: Number(version),
    digest: digest as string,
  }
}

function textOf({ logId, losses, next, version, digest }: EndMark): string {
  return `${logId} ${losses} ${next} ${version} ${digest}`
}
