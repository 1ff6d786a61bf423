import type { Idempotency } from '../../schemas/line-batch.ts'

/**
 * What a partition remembers to tell a repeat from something new. Part of its checkpoint; judged by log time
 * alone, so a replay judges alike.
 */

const DAY_MS = 86_400_000
/** A producer that was idle for that long has minted a new id (it does so after half of it). */
const PRODUCER_EXPIRY_MS = DAY_MS
/** An idempotency key without a number. */
const KEY_EXPIRY_MS = DAY_MS
/** A stream of numbered keys: `weir ship --follow` may be away for days and then repeat its last batch. Our choice. */
const STREAM_EXPIRY_MS = 30 * DAY_MS
/** How far behind the highest number of a stream a late number is still told from a repeat. */
export const STREAM_WINDOW = 64

/** `<stream>/<number>`: costs one entry for the whole stream. */
export const NUMBERED_KEY = /^(.+)\/(\d{1,15})$/

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

  /** What is still worth remembering at that time, ordered by id. */
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

/** Entries that one account may have; beyond it the longest unused is forgotten. */
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

/**
 * Idempotency keys of the requests of one account. A key of the form `<stream>/<number>` costs one entry per stream,
 * any other key one entry for 24 h of log time. A request is a repeat when its key *and* the digest of its body
 * are known: one that was acknowledged under a used key with another body (a sender's mistake that the ingest
 * front normally answers with 409) is kept, because acknowledged lines are never lost.
 */
export class IdempotencyKeys {
  /** Both in the order of their last use, so that what is forgotten follows from the log alone. */
  readonly #streams = new Map<string, StreamState>()
  readonly #keys = new Map<string, KeyState>()

  /** Notes the key. @returns false when the request is a repeat */
  advance({ key, digest }: Idempotency, timeMs: number): boolean {
    const text = Buffer.from(digest).toString('base64')
    const numbered = NUMBERED_KEY.exec(key)
    if (numbered === null) return this.#advanceKey(key, text, timeMs)
    return this.#advanceStream(numbered[1] as string, Number(numbered[2]), text, timeMs)
  }

  #advanceKey(key: string, digest: string, timeMs: number): boolean {
    const known = this.#keys.get(key)
    if (known !== undefined && timeMs - known.timeMs < KEY_EXPIRY_MS) return known.digest !== digest
    putNewest(this.#keys, key, { digest, timeMs }, MAX_KEYS)
    return true
  }

  #advanceStream(name: string, number: number, digest: string, timeMs: number): boolean {
    const known = this.#streams.get(name)
    if (known === undefined || timeMs - known.timeMs >= STREAM_EXPIRY_MS) {
      putNewest(this.#streams, name, { highest: number, timeMs, digests: { [number]: digest } }, MAX_STREAMS)
      return true
    }
    known.timeMs = timeMs
    putNewest(this.#streams, name, known, MAX_STREAMS)
    // Too old to tell; it was acknowledged, so it is kept. The ingest front answers such a number with 409.
    if (number <= known.highest - STREAM_WINDOW) return true
    const seen = known.digests[number]
    if (seen !== undefined) return seen !== digest
    known.digests[number] = digest
    if (number > known.highest) {
      known.highest = number
      for (const old of Object.keys(known.digests)) {
        if (Number(old) <= number - STREAM_WINDOW) delete known.digests[Number(old)]
      }
    }
    return true
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

/** Forgetting what has expired changes no judgement; it only bounds the memory. */
function forgetExpired(entries: Map<string, { readonly timeMs: number }>, expiredMs: number): void {
  for (const [name, { timeMs }] of entries) if (timeMs <= expiredMs) entries.delete(name)
}
