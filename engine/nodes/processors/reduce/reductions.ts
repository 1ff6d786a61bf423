import { hash } from 'node:crypto'
import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { parseExactJson } from '../../../json/exact-json.ts'
import { exactJsonText } from '../../../json/json-text.ts'
import { finish, joined, type Steps } from '../../../steps.ts'
import { type HeldEvent, heldEventJson, heldEventOf } from './held-event.ts'
import type { Merged } from './merged-value.ts'
import { WindowEnds } from './window-ends.ts'

const FORMAT = 1
/** A piece that travels as one record is cut beyond. */
const MAX_PIECE_BYTES = 500_000
/** Of a snapshot's text: so much is written at a time. */
const STRETCH_CHARACTERS = 32_768

/** The events of a group that have become one so far. */
export interface Reduction {
  readonly group: string
  /** Log time at which it ends, UNIX ms. */
  readonly endMs: number
  readonly first: HeldEvent
  /** Higher than of those that were opened before it; given when it is opened. */
  age: number
  /** Events in it. */
  count: number
  /** What it holds, about. */
  bytes: number
  /** By root-level key, in the order in which the keys came. */
  readonly message: Map<string, Merged>
  readonly metadata: Map<string, Merged>
}

/** The open reductions of a node on one partition, oldest first. Nothing here knows the options. */
export class Reductions {
  readonly #open = new Map<string, Reduction>()
  readonly #ends = new WindowEnds<Reduction>()
  /** Goes through them by age, once: to begin at the front each time would pass over all that were closed there. */
  #byAge = this.#open.values()
  #oldest: Reduction | undefined
  /** Of the next one that opens, among those that have. */
  #nextAge = 0
  #bytes = 0

  get count(): number {
    return this.#open.size
  }

  /** Of all of them, about. */
  get bytes(): number {
    return this.#bytes
  }

  /** Log time at which the next one ends; Infinity: none is open. */
  get deadlineMs(): number {
    return this.#ends.earliestMs
  }

  /** Times that have been compared so far to know which end. */
  get compared(): number {
    return this.#ends.compared
  }

  find(group: string): Reduction | undefined {
    return this.#open.get(group)
  }

  get oldest(): Reduction | undefined {
    const known = this.#oldest
    if (known !== undefined && this.#open.get(known.group) === known) return known
    this.#oldest = this.#byAge.next().value
    if (this.#oldest !== undefined) return this.#oldest
    // It does not go on behind its end.
    this.#byAge = this.#open.values()
    this.#oldest = this.#byAge.next().value
    return this.#oldest
  }

  /** Those that end at that time or before, oldest first. */
  endingBy(timeMs: number): Reduction[] {
    return this.#ends.endingBy(timeMs).sort((one, other) => one.age - other.age)
  }

  open(reduction: Reduction): void {
    reduction.age = this.#nextAge++
    this.#open.set(reduction.group, reduction)
    this.#ends.add(reduction)
    this.#bytes += reduction.bytes
  }

  grow(reduction: Reduction, bytes: number): void {
    reduction.count++
    reduction.bytes += bytes
    this.#bytes += bytes
  }

  close(reduction: Reduction): void {
    this.#open.delete(reduction.group)
    this.#ends.remove(reduction)
    this.#bytes -= reduction.bytes
  }

  /** Their JSON, a list that begins with its format. */
  *snapshot(): Steps<Uint8Array> {
    const parts: Buffer[] = []
    let text = `[${FORMAT}`
    for (const reduction of this.#open.values()) {
      text += `,${exactJsonText(jsonOf(reduction))}`
      if (text.length < STRETCH_CHARACTERS) continue
      parts.push(Buffer.from(text))
      text = ''
      yield
    }
    parts.push(Buffer.from(`${text}]`))
    return yield* joined(parts)
  }

  /** @throws RangeError when the bytes are no snapshot */
  static restore(bytes: Uint8Array): Reductions {
    const reductions = new Reductions()
    reductions.absorb(bytes)
    return reductions
  }

  /** Takes in a snapshot, or a piece of one. @throws RangeError when the bytes are none */
  absorb(bytes: Uint8Array): void {
    const [format, ...kept] = readJson(bytes)
    if (format !== FORMAT) throw new RangeError(`reductions of an unknown format: ${String(format)}`)
    for (const value of kept) {
      const reduction = reductionOf(value)
      // A key has one place at a time, so none is there already; if one were, it would end by itself.
      const taken = this.#open.get(reduction.group)
      if (taken !== undefined) this.#rename(taken)
      this.open(reduction)
    }
  }

  /** Takes out those whose share goes. @yields pieces of a bounded size, for `absorb` */
  *split(
    shares: readonly number[],
    shareOf: (hash: number) => number,
  ): Iterable<{ share: number; data: Uint8Array }> {
    const pieces = new Map(shares.map(share => [share, new Reductions()]))
    for (const reduction of [...this.#open.values()]) {
      const share = shareOf(groupHash(reduction.group))
      const piece = pieces.get(share)
      if (piece === undefined) continue
      this.close(reduction)
      piece.open(reduction)
      if (piece.bytes < MAX_PIECE_BYTES) continue
      pieces.set(share, new Reductions())
      yield { share, data: finish(piece.snapshot()) }
    }
    for (const [share, piece] of pieces) if (piece.count > 0) yield { share, data: finish(piece.snapshot()) }
  }

  #rename(reduction: Reduction): void {
    this.close(reduction)
    this.open({ ...reduction, group: `${reduction.group} ` })
  }
}

/** 32 bits, the same for a group everywhere. */
export function groupHash(group: string): number {
  return hash('sha256', group, 'buffer').readUInt32LE(0)
}

function jsonOf({ group, endMs, first, count, bytes, message, metadata }: Reduction): JsonValue {
  const entries = (merged: ReadonlyMap<string, Merged>) =>
    [...merged].map(([key, { strategy, ...rest }]) => [key, strategy, rest as unknown as JsonObject])
  return [group, endMs, heldEventJson(first), count, bytes, entries(message), entries(metadata)]
}

function reductionOf(value: JsonValue): Reduction {
  if (!Array.isArray(value)) throw new RangeError('a reduction of a snapshot is no list')
  const [group, endMs, first, count, bytes, message, metadata] = value
  return {
    group: String(group),
    endMs: Number(endMs),
    first: heldEventOf(first),
    age: 0,
    count: Number(count),
    bytes: Number(bytes),
    message: mergedOf(message),
    metadata: mergedOf(metadata),
  }
}

function mergedOf(value: JsonValue | undefined): Map<string, Merged> {
  const entries = value as unknown as readonly (readonly [
    string,
    Merged['strategy'],
    Omit<Merged, 'strategy'>,
  ])[]
  return new Map(entries.map(([key, strategy, rest]) => [key, { strategy, ...rest }]))
}

function readJson(bytes: Uint8Array): readonly JsonValue[] {
  const value = parseExactJson(Buffer.from(bytes).toString())
  if (!Array.isArray(value)) throw new RangeError('reductions of a snapshot are no list')
  return value
}
