import { hash } from 'node:crypto'
import { finish, joined, type Steps } from '../../../steps.ts'
import { QueueMap } from '../../../windows/queue-map.ts'
import { snapshotList } from '../../../windows/snapshot-lines.ts'
import type { StatePiece } from '../../contract/define-processor.ts'
import { copiedText, keyHash } from '../../contract/values-key.ts'

const FORMAT = 1
/** Longer keys are stored as their SHA-256: components, section 5.5. */
const MAX_KEY_BYTES = 512
/** No JSON text begins with it. */
const DIGEST_MARK = '#'
/** Maximum size of a piece, which is sent as one record; JSON may need two bytes for each of its code units. */
const MAX_PIECE_BYTES = 250_000
/** Keys that are written, read or split at a time: a millisecond. */
const KEYS_AT_A_TIME = 1_000
/** Rough size of a key in memory, in addition to its text. */
const KEY_BYTES = 80

/**
 * Turns of a millisecond. The turn of a use is its log time in such parts of a millisecond, or the one behind the last turn: uses of
 * the same time keep their order, and one number is all that a key needs.
 */
const TURNS_PER_MS = 1_024

type Use = readonly [key: string, turn: number]

/** A use in a snapshot: its time, UNIX ms, and its turn in that millisecond. */
type KeptUse = readonly [key: string, usedMs: number, turn: number]

/** A key as it is stored. */
export function keptKey(text: string): string {
  // A code unit has at most three bytes.
  const isShort = text.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(text) <= MAX_KEY_BYTES
  return isShort ? copiedText(text) : `${DIGEST_MARK}${hash('sha256', text)}`
}

/** The keys that were used last, least recently used first. */
export class RecentKeys {
  /** Turns of the last uses. */
  #uses = new QueueMap<string, number>()
  #lastTurn = 0
  #units = 0
  /** Log time at which the key of the last use was used before, UNIX ms; undefined: it was not remembered. */
  twinMs: number | undefined

  get count(): number {
    return this.#uses.size
  }

  /** Estimated size in bytes. */
  get bytes(): number {
    return this.#units + KEY_BYTES * this.#uses.size
  }

  /**
   * Notes a use of a key, and forgets the keys that were used least recently.
   *
   * @param limit keys to remember, at least 1
   * @returns whether the key was remembered
   */
  use(key: string, nowMs: number, limit: number): boolean {
    while (this.#uses.size > limit) this.#forgetOldest()
    const twin = this.#uses.get(key)
    const isKnown = twin !== undefined
    // After very many uses at a time, turns are ahead of it.
    this.twinMs = isKnown ? Math.min(nowMs, Math.floor(twin / TURNS_PER_MS)) : undefined
    if (isKnown) this.#remove(key)
    else if (this.#uses.size === limit) this.#forgetOldest()
    this.#lastTurn = Math.max(this.#lastTurn + 1, nowMs * TURNS_PER_MS)
    this.#append(key, this.#lastTurn)
    return isKnown
  }

  #forgetOldest(): void {
    const key = this.#uses.first
    if (key === undefined) throw new RangeError('no key is left to be forgotten')
    this.#remove(key)
  }

  #remove(key: string): void {
    this.#uses.delete(key)
    this.#units -= key.length
  }

  #append(key: string, turn: number): void {
    this.#uses.add(key, turn)
    this.#units += key.length
  }

  /** JSON: a list that begins with its format. */
  *snapshot(): Steps<Uint8Array> {
    const parts: Buffer[] = []
    let waiting: KeptUse[] = []
    let head = `[${FORMAT}`
    for (const [key, turn] of this.#uses.entries()) {
      waiting.push([key, Math.floor(turn / TURNS_PER_MS), turn % TURNS_PER_MS])
      if (waiting.length < KEYS_AT_A_TIME) continue
      parts.push(Buffer.from(`${head},${JSON.stringify(waiting)}`))
      head = ''
      waiting = []
      yield
    }
    parts.push(Buffer.from(`${head}${waiting.length > 0 ? `,${JSON.stringify(waiting)}` : ''}]`))
    return yield* joined(parts)
  }

  /** @throws RangeError when the bytes are not a snapshot */
  static *restore(bytes: Uint8Array): Steps<RecentKeys> {
    const keys = new RecentKeys()
    keys.#add(usesIn(bytes))
    yield
    return keys
  }

  /** Adds a snapshot, or a piece of one, in the order of use. @throws RangeError when the bytes are not valid */
  absorb(bytes: Uint8Array): void {
    const uses = [...this.#uses.entries(), ...usesIn(bytes)].sort(([, one], [, other]) => one - other)
    this.#uses = new QueueMap()
    this.#units = 0
    this.#add(uses)
  }

  #add(uses: readonly Use[]): void {
    for (const [key, turn] of uses) {
      // A key has one place at a time; if it were in two, its later use would count.
      if (this.#uses.get(key) !== undefined) this.#remove(key)
      this.#append(key, turn)
      this.#lastTurn = Math.max(this.#lastTurn, turn)
    }
  }

  /** Removes the keys of some shares. @yields pieces of a bounded size, for `absorb` */
  *split(shares: readonly number[], shareOf: (hash: number) => number): Iterable<StatePiece | undefined> {
    const pieces = new Map(shares.map(share => [share, new RecentKeys()]))
    for (const [index, use] of [...this.#uses.entries()].entries()) {
      const [key] = use
      if (index % KEYS_AT_A_TIME === KEYS_AT_A_TIME - 1) yield undefined
      const share = shareOf(keyHash(key))
      const piece = pieces.get(share)
      if (piece === undefined) continue
      this.#remove(key)
      piece.#add([use])
      if (piece.bytes < MAX_PIECE_BYTES) continue
      pieces.set(share, new RecentKeys())
      yield { share, data: finish(piece.snapshot()) }
    }
    for (const [share, piece] of pieces) if (piece.count > 0) yield { share, data: finish(piece.snapshot()) }
  }
}

/** @throws RangeError when the bytes are not a snapshot */
function usesIn(bytes: Uint8Array): Use[] {
  const [format, ...lists] = snapshotList(bytes)
  if (format !== FORMAT) throw new RangeError(`recent keys of an unknown format: ${String(format)}`)
  const uses = lists.flat(1)
  if (!uses.every(isUse)) throw new RangeError('recent keys of a snapshot are damaged')
  return uses.map(([key, usedMs, turn]): Use => [key, usedMs * TURNS_PER_MS + turn])
}

function isUse(value: unknown): value is KeptUse {
  if (!Array.isArray(value) || value.length !== 3) return false
  const [key, usedMs, turn] = value as unknown[]
  return typeof key === 'string' && typeof usedMs === 'number' && typeof turn === 'number'
}
