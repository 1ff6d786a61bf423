import { hash } from 'node:crypto'
import { finish, joined, type Steps } from '../../../steps.ts'
import type { StatePiece } from '../../contract/define-processor.ts'
import { keyHash } from '../../contract/values-key.ts'

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
const KEY_BYTES = 64

/** Last use of a key. */
interface Use {
  /** Log time, UNIX ms. */
  readonly usedMs: number
  /** Number of the use, counted over all keys. */
  readonly turn: number
}

type KeptUse = readonly [key: string, usedMs: number, turn: number]

/** A key as it is stored. */
export function keptKey(text: string): string {
  // A code unit has at most three bytes.
  const isShort = text.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(text) <= MAX_KEY_BYTES
  return isShort ? text : `${DIGEST_MARK}${hash('sha256', text)}`
}

/** The keys that were used last, least recently used first. */
export class RecentKeys {
  #uses = new Map<string, Use>()
  /**
   * Iterates over the keys, once: starting from the front each time would pass all that were removed there. All keys before its
   * position are gone, since whatever it gives is removed.
   */
  #oldest = this.#uses.keys()
  #turn = 0
  #units = 0

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
    const isKnown = this.#uses.delete(key)
    if (!isKnown) {
      if (this.#uses.size === limit) this.#forgetOldest()
      this.#units += key.length
    }
    this.#uses.set(key, { usedMs: nowMs, turn: this.#turn++ })
    return isKnown
  }

  #forgetOldest(): void {
    const { value: key } = this.#oldest.next()
    if (key === undefined) throw new RangeError('no key is left to be forgotten')
    this.#uses.delete(key)
    this.#units -= key.length
  }

  /** JSON: a list that begins with its format. */
  *snapshot(): Steps<Uint8Array> {
    const parts: Buffer[] = []
    let waiting: KeptUse[] = []
    let head = `[${FORMAT}`
    for (const [key, { usedMs, turn }] of this.#uses) {
      waiting.push([key, usedMs, turn])
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
    const present = [...this.#uses].map(([key, { usedMs, turn }]): KeptUse => [key, usedMs, turn])
    const uses = [...present, ...usesIn(bytes)].sort(byUse)
    this.#uses = new Map()
    this.#oldest = this.#uses.keys()
    this.#units = 0
    this.#add(uses)
  }

  #add(uses: readonly KeptUse[]): void {
    for (const [key, usedMs, turn] of uses) {
      // A key has one place at a time; if it were in two, its later use would count.
      if (!this.#uses.delete(key)) this.#units += key.length
      this.#uses.set(key, { usedMs, turn })
      this.#turn = Math.max(this.#turn, turn + 1)
    }
  }

  /** Removes the keys of some shares. @yields pieces of a bounded size, for `absorb` */
  *split(shares: readonly number[], shareOf: (hash: number) => number): Iterable<StatePiece | undefined> {
    const pieces = new Map(shares.map(share => [share, new RecentKeys()]))
    for (const [index, [key, { usedMs, turn }]] of [...this.#uses].entries()) {
      if (index % KEYS_AT_A_TIME === KEYS_AT_A_TIME - 1) yield undefined
      const share = shareOf(keyHash(key))
      const piece = pieces.get(share)
      if (piece === undefined) continue
      this.#uses.delete(key)
      this.#units -= key.length
      piece.#add([[key, usedMs, turn]])
      if (piece.bytes < MAX_PIECE_BYTES) continue
      pieces.set(share, new RecentKeys())
      yield { share, data: finish(piece.snapshot()) }
    }
    for (const [share, piece] of pieces) if (piece.count > 0) yield { share, data: finish(piece.snapshot()) }
  }
}

function byUse([, oneMs, oneTurn]: KeptUse, [, otherMs, otherTurn]: KeptUse): number {
  return oneMs - otherMs || oneTurn - otherTurn
}

/** @throws RangeError when the bytes are not a snapshot */
function usesIn(bytes: Uint8Array): KeptUse[] {
  const [format, ...lists] = listIn(bytes)
  if (format !== FORMAT) throw new RangeError(`recent keys of an unknown format: ${String(format)}`)
  const uses = lists.flat(1)
  if (!uses.every(isUse)) throw new RangeError('recent keys of a snapshot are damaged')
  return uses
}

function listIn(bytes: Uint8Array): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString())
    if (Array.isArray(value)) return value
  } catch (cause) {
    throw new RangeError('recent keys of a snapshot are no JSON', { cause })
  }
  throw new RangeError('recent keys of a snapshot are no list')
}

function isUse(value: unknown): value is KeptUse {
  if (!Array.isArray(value) || value.length !== 3) return false
  const [key, usedMs, turn] = value as unknown[]
  return typeof key === 'string' && typeof usedMs === 'number' && typeof turn === 'number'
}
