import type { Idempotency } from '../../schemas/log/line-batch.ts'
import { NUMBERED_KEY } from '../../schemas/log/line-batch.ts'
import { DAY_MS } from '../times/duration.ts'

/**
 * Memory of a partition that distinguishes repeats from new requests. It is part of the checkpoint and depends only on
 * log time, so a replay gives the same judgements.
 */

/** Time after which a producer is forgotten; an idle producer changes its id after half of it. */
const PRODUCER_EXPIRY_MS = DAY_MS
/** Time after which an idempotency key without a number is forgotten. */
export const KEY_EXPIRY_MS = DAY_MS
/**
 * Time after which a stream of numbered keys is forgotten. `weir ship --follow` may be stopped for days and then repeat
 * its last batch. (Our choice.)
 */
const STREAM_EXPIRY_MS = 30 * DAY_MS
/** Distance behind the highest number of a stream up to which a late number is recognised as a repeat or as new. */
export const STREAM_WINDOW = 64

/** Highest sequence seen per producer: the engine drops a sequence that it has passed. */
export class Producers {
  readonly #positions = new Map<string, { sequence: number; timeMs: number }>()

  /** Notes the position. @returns false when it was passed before, so that its record is a repeat */
  advance(id: string, sequence: number, timeMs: number): boolean {
    const known = this.#positions.get(id)
    if (known === undefined || timeMs - known.timeMs >= PRODUCER_EXPIRY_MS) {
      this.#positions.set(id, { sequence, timeMs })
      return true
    }
    known.timeMs = timeMs
    if (sequence <= known.sequence) return false
    known.sequence = sequence
    return true
  }

  /** Notes positions from other sources; lower ones than known change nothing. */
  merge(positions: Iterable<{ id: string; sequence: number; timeMs: number }>): void {
    for (const { id, sequence, timeMs } of positions) {
      const known = this.#positions.get(id)
      if (known !== undefined && known.sequence >= sequence && known.timeMs >= timeMs) continue
      this.#positions.set(id, {
        sequence: Math.max(sequence, known?.sequence ?? 0),
        timeMs: Math.max(timeMs, known?.timeMs ?? 0),
      })
    }
  }

  /** Entries that are still needed at that time, ordered by id. */
  snapshot(timeMs: number): { id: string; sequence: number; timeMs: number }[] {
    forgetExpired(this.#positions, timeMs - PRODUCER_EXPIRY_MS)
    return [...this.#positions]
      .map(([id, position]) => ({ id, ...position }))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  restore(positions: Iterable<{ id: string; sequence: number; timeMs: number }>): void {
    for (const { id, sequence, timeMs } of positions) this.#positions.set(id, { sequence, timeMs })
  }
}

/** Maximum number of entries of one account; beyond it the one that was unused longest is forgotten. */
export const MAX_STREAMS = 10_000
export const MAX_KEYS = 100_000

interface StreamState {
  highest: number
  timeMs: number
  /** Digest of each of the last 64 numbers that was seen. */
  digests: Record<number, string>
}

interface KeyState {
  digest: string
  timeMs: number
}

/** 'conflict': the key came with another body; 'passed': the number is too far behind to decide. */
export type KeyJudgement = 'new' | 'repeat' | 'conflict' | 'passed'

/**
 * Idempotency keys of the requests of one account. A key of the form `<stream>/<number>` costs one entry per stream, any
 * other key one entry for 24 h of log time. A request is a repeat when its key *and* the digest of its body are known.
 * The ingest front normally answers a used key with another body with 409, as a mistake of the sender. If such a request
 * was acknowledged, it is kept, because acknowledged lines are never lost.
 */
export class IdempotencyKeys {
  /** Streams in the order of last use, like the other map, so that the forgotten entries follow from the log alone. */
  readonly #streams = new Map<string, StreamState>()
  readonly #keys = new Map<string, KeyState>()

  /** Judges a request with this key, without noting anything. */
  judge({ key, digest }: Idempotency, timeMs: number): KeyJudgement {
    const text = Buffer.from(digest).toString('base64')
    const numbered = NUMBERED_KEY.exec(key)
    if (numbered === null) {
      const known = this.#keys.get(key)
      if (known === undefined || timeMs - known.timeMs >= KEY_EXPIRY_MS) return 'new'
      return known.digest === text ? 'repeat' : 'conflict'
    }
    const stream = this.#stream(numbered[1] as string, timeMs)
    if (stream === undefined) return 'new'
    const number = Number(numbered[2])
    if (number <= stream.highest - STREAM_WINDOW) return 'passed'
    const seen = stream.digests[number]
    if (seen === undefined) return 'new'
    return seen === text ? 'repeat' : 'conflict'
  }

  /** Notes the key. @returns false when the request is a repeat */
  advance(idempotency: Idempotency, timeMs: number): boolean {
    const judgement = this.judge(idempotency, timeMs)
    const digest = Buffer.from(idempotency.digest).toString('base64')
    const numbered = NUMBERED_KEY.exec(idempotency.key)
    if (numbered !== null) this.#noteNumber(numbered[1] as string, Number(numbered[2]), digest, timeMs)
    else if (judgement === 'new') putNewest(this.#keys, idempotency.key, { digest, timeMs }, MAX_KEYS)
    return judgement !== 'repeat'
  }

  #stream(name: string, timeMs: number): StreamState | undefined {
    const stream = this.#streams.get(name)
    return stream === undefined || timeMs - stream.timeMs >= STREAM_EXPIRY_MS ? undefined : stream
  }

  #noteNumber(name: string, number: number, digest: string, timeMs: number): void {
    const stream = this.#stream(name, timeMs) ?? { highest: number, timeMs, digests: {} }
    stream.timeMs = timeMs
    putNewest(this.#streams, name, stream, MAX_STREAMS)
    if (number <= stream.highest - STREAM_WINDOW) return
    stream.digests[number] ??= digest // the first body on the log counts
    if (number <= stream.highest) return
    stream.highest = number
    for (const old of Object.keys(stream.digests)) {
      if (Number(old) <= number - STREAM_WINDOW) delete stream.digests[Number(old)]
    }
  }

  snapshot(timeMs: number): Buffer {
    forgetExpired(this.#streams, timeMs - STREAM_EXPIRY_MS)
    forgetExpired(this.#keys, timeMs - KEY_EXPIRY_MS)
    return Buffer.from(JSON.stringify({ streams: [...this.#streams], keys: [...this.#keys] }))
  }

  restore(data: Buffer): void {
    const { streams, keys } = JSON.parse(data.toString()) as {
      streams: [string, StreamState][]
      keys: [string, KeyState][]
    }
    for (const [name, state] of streams) this.#streams.set(name, state)
    for (const [name, state] of keys) this.#keys.set(name, state)
  }
}

function putNewest<State>(entries: Map<string, State>, name: string, state: State, most: number): void {
  entries.delete(name)
  entries.set(name, state)
  if (entries.size <= most) return
  const [oldest] = entries.keys()
  entries.delete(oldest as string)
}

/** Removes expired entries. This changes no judgement; it only bounds the memory. */
function forgetExpired(entries: Map<string, { readonly timeMs: number }>, expiredMs: number): void {
  for (const [name, { timeMs }] of entries) if (timeMs <= expiredMs) entries.delete(name)
}
