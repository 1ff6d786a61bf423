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
 * Idempotency keys of requests, per account. A key of the form `<stream>/<number>` costs one entry per stream,
 * any other key one entry for 24 h of log time. A request is a repeat when its key *and* the digest of its body
 * are known: one that was acknowledged under a used key with another body (a sender's mistake that the ingest
 * front normally answers with 409) is kept, because acknowledged lines are never lost.
 */
export class IdempotencyKeys {
  readonly #streams = new Map<string, StreamState>()
  readonly #keys = new Map<string, KeyState>()

  /** Notes the key. @returns false when the request is a repeat */
  advance(account: string, { key, digest }: Idempotency, timeMs: number): boolean {
    const text = Buffer.from(digest).toString('base64')
    const numbered = NUMBERED_KEY.exec(key)
    if (numbered === null) return this.#advanceKey(`${account} ${key}`, text, timeMs)
    return this.#advanceStream(`${account} ${numbered[1]}`, Number(numbered[2]), text, timeMs)
  }

  #advanceKey(key: string, digest: string, timeMs: number): boolean {
    const known = this.#keys.get(key)
    const expired = known === undefined || timeMs - known.timeMs >= KEY_EXPIRY_MS
    if (expired) this.#keys.set(key, { digest, timeMs })
    return expired || known.digest !== digest
  }

  #advanceStream(name: string, number: number, digest: string, timeMs: number): boolean {
    const known = this.#streams.get(name)
    if (known === undefined || timeMs - known.timeMs >= STREAM_EXPIRY_MS) {
      this.#streams.set(name, { highest: number, timeMs, digests: { [number]: digest } })
      return true
    }
    known.timeMs = timeMs
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
    return Buffer.from(
      JSON.stringify({ streams: [...this.#streams].sort(byName), keys: [...this.#keys].sort(byName) }),
    )
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

/** Forgetting what has expired changes no judgement; it only bounds the memory. */
function forgetExpired(entries: Map<string, { readonly timeMs: number }>, expiredMs: number): void {
  for (const [name, { timeMs }] of entries) if (timeMs <= expiredMs) entries.delete(name)
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1
}
