import type { Clock } from '../../engine/clock/clock.ts'
import { KEY_EXPIRY_MS, type KeyJudgement, STREAM_WINDOW } from '../../engine/fold/repeats.ts'
import { HOUR_MS, SECOND_MS } from '../../engine/times/duration.ts'
import type { KeyAnswer } from '../../schemas/log/key-answers.ts'
import type { Idempotency } from '../../schemas/log/line-batch.ts'
import { NUMBERED_KEY } from '../../schemas/log/line-batch.ts'
import { ApiError, badRequest, unavailable } from '../http/errors.ts'

const KEY = /^[!-~]{1,128}$/
const ANOTHER_BODY = 'This idempotency key was used with another body'
const KEYS_PER_ACCOUNT = 100_000
/** Streams cost one entry each. The stream that was unused longest is forgotten first; the log then finds its repeats. */
const STREAMS_PER_ACCOUNT = 10_000

/** Answer to the first request with a key. */
export interface KeptAnswer {
  readonly batchId: string
  /** Whether some of its lines were refused, or this is unknown. */
  readonly isPartial: boolean
}

interface KeptKey {
  readonly digest: string
  readonly notedAtMs: number
  readonly answer: KeptAnswer | Promise<KeptAnswer>
  /** Whether it is on the topic of answers, so that later ones do not count. */
  readonly isAnnounced: boolean
}

interface KeptStream {
  highest: number
  readonly numbers: Map<number, KeptKey>
}

interface AccountKeys {
  /** Keys in the order in which they were noted, so that the oldest come first. */
  readonly keys: Map<string, KeptKey>
  readonly streams: Map<string, KeptStream>
}

/** State of a key by the log, as far as this process has read it: also covers the time before its start. */
export type JudgeKey = (
  account: string,
  idempotency: Idempotency,
  partition: number,
) => KeyJudgement | 'unknown'

interface RecentAnswersOptions {
  readonly clock: Clock
  readonly judgeKey?: JudgeKey | undefined
  /** Sends an answer to the other ingesting processes; absent without others. */
  readonly announce?: ((answer: KeyAnswer) => void) | undefined
  readonly keysPerAccount?: number
}

/**
 * Idempotency keys that this or another ingesting process saw recently. A repeat gets the first answer again and is not
 * appended. This memory may forget keys, because the engine drops repeats by the log. It relieves the log, and refuses at
 * once a key that comes with another body.
 *
 * A key `<stream>/<number>` costs one entry per stream, for which the last 64 numbers are known. Any other key is kept
 * for 24 h, 100,000 of them per account.
 */
export class RecentAnswers {
  readonly #clock: Clock
  readonly #judgeKey: JudgeKey
  readonly #announce: ((answer: KeyAnswer) => void) | undefined
  readonly #keysPerAccount: number
  readonly #accounts = new Map<string, AccountKeys>()

  constructor({ clock, judgeKey, announce, keysPerAccount = KEYS_PER_ACCOUNT }: RecentAnswersOptions) {
    this.#clock = clock
    this.#judgeKey = judgeKey ?? (() => 'new')
    this.#announce = announce
    this.#keysPerAccount = keysPerAccount
  }

  /**
   * @param partition destination of the request
   * @returns the answer to the first request with this key and body, or undefined for a new key
   * @throws ApiError 409 when the key came with another body, or its number is too old; 503 when the account has used too
   *   many keys
   */
  find(account: string, { key, digest }: Idempotency, partition: number): Promise<KeptAnswer> | undefined {
    const known = this.#accounts.get(account)
    if (known === undefined) return this.#findInLog(account, { key, digest }, partition)
    const numbered = NUMBERED_KEY.exec(key)
    const kept =
      numbered === null
        ? this.#findKey(known, key)
        : findNumber(known, numbered[1] as string, Number(numbered[2]))
    if (kept === undefined) return this.#findInLog(account, { key, digest }, partition)
    if (kept.digest !== textOf(digest)) throw conflict(ANOTHER_BODY)
    return Promise.resolve(kept.answer)
  }

  /** The earlier batch id is not known any more: it is opaque and can be empty. */
  #findInLog(account: string, idempotency: Idempotency, partition: number): Promise<KeptAnswer> | undefined {
    switch (this.#judgeKey(account, idempotency, partition)) {
      case 'new':
        return undefined
      case 'unknown':
        throw unavailable('The log is being read after a start; a key cannot be judged yet', 1)
      case 'repeat':
        return Promise.resolve({ batchId: '', isPartial: true })
      case 'conflict':
        throw conflict(ANOTHER_BODY)
      case 'passed':
        throw conflict('The numbers of this stream have passed this one; numbers rise')
    }
  }

  /** Keeps the pending answer for a key that `find` did not know, and sends it to others; a failed one is forgotten. */
  note(account: string, { key, digest }: Idempotency, answer: Promise<KeptAnswer>): void {
    const known = this.#keysOf(account)
    const kept: KeptKey = {
      digest: textOf(digest),
      notedAtMs: this.#clock.monotonicMs(),
      answer,
      isAnnounced: false,
    }
    const numbered = NUMBERED_KEY.exec(key)
    const forget =
      numbered === null
        ? noteKey(known.keys, key, kept)
        : noteNumber(known.streams, numbered[1] as string, Number(numbered[2]), kept)
    answer.catch(forget)
    const announce = this.#announce
    if (announce !== undefined) answer.then(given => announce({ account, key, digest, ...given }), ignored)
  }

  /**
   * Records an answer that was sent by any process, this one included. The first answer of a key counts, so that all
   * processes agree when they handled requests with it at the same time. Answers arrive in the order in which they were
   * sent.
   *
   * @param ageMs time since it was sent
   */
  learn({ account, key, digest, batchId, isPartial }: KeyAnswer, ageMs: number): void {
    const known = this.#keysOf(account)
    const kept: KeptKey = {
      digest: textOf(digest),
      notedAtMs: this.#clock.monotonicMs() - ageMs,
      answer: { batchId, isPartial },
      isAnnounced: true,
    }
    const numbered = NUMBERED_KEY.exec(key)
    if (numbered === null) this.#learnKey(known, key, kept)
    else learnNumber(known, numbered[1] as string, Number(numbered[2]), kept)
  }

  #keysOf(account: string): AccountKeys {
    let known = this.#accounts.get(account)
    if (known === undefined) {
      known = { keys: new Map(), streams: new Map() }
      this.#accounts.set(account, known)
    }
    return known
  }

  #findKey(known: AccountKeys, key: string): KeptKey | undefined {
    const kept = this.#unexpired(known, key)
    if (kept === undefined && known.keys.size >= this.#keysPerAccount)
      throw unavailable('The account has used too many idempotency keys within a day', HOUR_MS / SECOND_MS)
    return kept
  }

  /**
   * Beyond the maximum number of keys the oldest is forgotten: the processes that noted them did not know all of them.
   */
  #learnKey(known: AccountKeys, key: string, kept: KeptKey): void {
    const before = this.#unexpired(known, key)
    if (before?.isAnnounced) return
    const { keys } = known
    if (before === undefined && keys.size >= this.#keysPerAccount)
      keys.delete(keys.keys().next().value as string)
    keys.set(key, kept)
  }

  /** Deletes entries that are too old; answers of other processes may follow younger ones. */
  #unexpired({ keys }: AccountKeys, key: string): KeptKey | undefined {
    const earliestMs = this.#clock.monotonicMs() - KEY_EXPIRY_MS
    for (const [old, { notedAtMs }] of keys) {
      if (notedAtMs > earliestMs) break
      keys.delete(old)
    }
    const kept = keys.get(key)
    if (kept === undefined || kept.notedAtMs > earliestMs) return kept
    keys.delete(key)
    return undefined
  }
}

/** @throws ApiError 400 when the header is not a valid key; undefined when there is none */
export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && KEY.test(header)) return header
  const message = '"idempotency-key" must be 1 to 128 visible ASCII characters'
  throw badRequest([{ message, key: 'idempotency-key' }])
}

function findNumber({ streams }: AccountKeys, name: string, number: number): KeptKey | undefined {
  const stream = streams.get(name)
  if (stream === undefined) return undefined
  if (number <= stream.highest - STREAM_WINDOW)
    throw conflict(`The numbers of this stream have passed ${stream.highest}; numbers rise`)
  return stream.numbers.get(number)
}

function noteKey(keys: Map<string, KeptKey>, key: string, kept: KeptKey): () => void {
  keys.set(key, kept)
  return () => {
    if (keys.get(key) === kept) keys.delete(key)
  }
}

function learnNumber({ streams }: AccountKeys, name: string, number: number, kept: KeptKey): void {
  const before = streams.get(name)?.numbers.get(number)
  if (!before?.isAnnounced) noteNumber(streams, name, number, kept)
}

function noteNumber(
  streams: Map<string, KeptStream>,
  name: string,
  number: number,
  kept: KeptKey,
): () => void {
  const stream = streams.get(name) ?? { highest: number, numbers: new Map<number, KeptKey>() }
  streams.delete(name)
  streams.set(name, stream)
  if (streams.size > STREAMS_PER_ACCOUNT) streams.delete(streams.keys().next().value as string)
  stream.numbers.set(number, kept)
  if (number > stream.highest) {
    stream.highest = number
    for (const old of stream.numbers.keys()) if (old <= number - STREAM_WINDOW) stream.numbers.delete(old)
  }
  return () => {
    if (stream.numbers.get(number) === kept) stream.numbers.delete(number)
  }
}

/** A request that failed has an answer of its own. */
function ignored(): void {}

function textOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('base64')
}

function conflict(message: string): ApiError {
  return new ApiError(409, 'Conflict', message)
}
