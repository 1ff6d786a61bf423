import { createHash, timingSafeEqual } from 'node:crypto'
import { HEADER_BYTES } from '../../schemas/log/wire-format.ts'
import type { LogRecord, Topic } from '../log/log.ts'
import type { Seal } from './seal.ts'

/**
 * How far the configuration log is known to have come. It is kept beside the log and in the store, and is written once
 * everything below it is durable: so it may lie behind the log, and never ahead of it.
 */
export interface EndMark {
  /** Identity of the topic. */
  readonly logId: string
  /** Losses that were accepted below it. A mark with fewer of them than the log was judged by one of those acts. */
  readonly losses: number
  /** Offset after the last record. */
  readonly next: bigint
  /** Highest version that an entity can have there. */
  readonly version: number
  /** SHA-256 over the records of its stretch, hexadecimal; see `EndDigest`. */
  readonly digest: string
}

/** A place that keeps one end mark, as a signed text. */
export interface MarkKeeper {
  /** Where it is, for people. */
  readonly place: string
  /** @returns undefined when the place has none @throws MarkUnreadableError; anything else: it may be read later */
  read(): Promise<EndMark | undefined>
  /** Resolves when the mark is durable. */
  write(mark: EndMark): Promise<void>
}

/** What a place holds is not a mark that this installation has signed. */
export class MarkUnreadableError extends Error {
  override readonly name = 'MarkUnreadableError'
}

/** Records that one digest covers at most: reading them back at a start takes milliseconds. */
const STRETCH_RECORDS = 1_024n
const READ_BYTES = 4_000_000
const PLACE = 'end of the configuration'

/** First offset of the stretch that a record belongs to. */
function stretchOf(offset: bigint): bigint {
  return offset - (offset % STRETCH_RECORDS)
}

/**
 * Running digest of the records from the beginning of their stretch on. A stretch has 1,024 offsets: events have ids of
 * their own, so a log that has been cut and written on differs in its last stretch already.
 */
export class EndDigest {
  #stretch = -1n
  #hash = createHash('sha256')

  /** First offset that the digest needs, when the next record to be added has this offset. */
  static neededFrom(next: bigint): bigint {
    return next === 0n ? 0n : stretchOf(next - 1n)
  }

  /** Adds the record that follows. */
  add({ offset, value }: LogRecord): void {
    const stretch = stretchOf(offset)
    if (stretch !== this.#stretch) this.#hash = createHash('sha256')
    this.#stretch = stretch
    // Without the header: a schema registry may be set up later, and the same record then carries another id.
    const body = value.subarray(HEADER_BYTES)
    const place = Buffer.alloc(12)
    place.writeBigUInt64BE(offset, 0)
    place.writeUInt32BE(body.length, 8)
    this.#hash.update(place).update(body)
  }

  /** Of everything that was added. */
  get text(): string {
    return this.#hash.copy().digest('hex')
  }
}

/** The end of a log as it would have been at an offset. */
export interface FoundEnd {
  /** Offset of the last record below it; -1 when there is none. */
  readonly last: bigint
  /** Of the records that there are of the stretch. */
  readonly digest: string
  /** First offset that the digest covers. */
  readonly from: bigint
}

/** Reads back what the log has right below an offset. @throws LogError as `Topic.read` */
export async function endBelow(topic: Topic, next: bigint): Promise<FoundEnd> {
  const bounds = await topic.bounds(0)
  const digest = new EndDigest()
  const from = EndDigest.neededFrom(next)
  for (let start = from; ; start -= STRETCH_RECORDS) {
    let last = -1n
    for await (const record of recordsBetween(topic, start < 0n ? 0n : start, next, bounds.next)) {
      if (start === from) digest.add(record)
      last = record.offset
    }
    if (last >= 0n || start <= bounds.first) return { last, digest: digest.text, from }
  }
}

async function* recordsBetween(
  topic: Topic,
  start: bigint,
  end: bigint,
  next: bigint,
): AsyncIterable<LogRecord> {
  for (let from = start; from < end && from < next; ) {
    const records = await topic.read(0, from, READ_BYTES)
    if (records.length === 0) return
    for (const record of records) {
      if (record.offset >= end) return
      yield record
      from = record.offset + 1n
    }
  }
}

/** Whether the first mark knows of more than the second. */
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
