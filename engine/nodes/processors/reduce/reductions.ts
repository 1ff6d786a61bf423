import { hash } from 'node:crypto'
import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { parseExactJson } from '../../../json/exact-json.ts'
import { exactJsonText } from '../../../json/json-text.ts'
import { type HeldEvent, heldEventJson, heldEventOf } from './held-event.ts'
import type { Merged } from './merged-value.ts'

const FORMAT = 1
/** A piece that travels as one record is cut beyond. */
const MAX_PIECE_BYTES = 500_000

/** The events of a group that have become one so far. */
export interface Reduction {
  readonly group: string
  /** Log time at which it ends, UNIX ms. */
  readonly endMs: number
  readonly first: HeldEvent
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
  #bytes = 0
  /** A time before which none ends; the exact one is looked for when somebody asks. */
  #earliestMs: number | undefined = Number.POSITIVE_INFINITY

  get count(): number {
    return this.#open.size
  }

  /** Of all of them, about. */
  get bytes(): number {
    return this.#bytes
  }

  /** Log time at which the next one ends; Infinity: none is open. */
  get deadlineMs(): number {
    if (this.#earliestMs === undefined) {
      let earliest = Number.POSITIVE_INFINITY
      for (const { endMs } of this.#open.values()) earliest = Math.min(earliest, endMs)
      this.#earliestMs = earliest
    }
    return this.#earliestMs
  }

  find(group: string): Reduction | undefined {
    return this.#open.get(group)
  }

  get oldest(): Reduction | undefined {
    return this.#open.values().next().value
  }

  /** Those that end at that time or before, oldest first. */
  endingBy(timeMs: number): Reduction[] {
    if (this.deadlineMs > timeMs) return []
    return [...this.#open.values()].filter(({ endMs }) => endMs <= timeMs)
  }

  open(reduction: Reduction): void {
    this.#open.set(reduction.group, reduction)
    this.#bytes += reduction.bytes
    if (this.#earliestMs !== undefined) this.#earliestMs = Math.min(this.#earliestMs, reduction.endMs)
  }

  grow(reduction: Reduction, bytes: number): void {
    reduction.count++
    reduction.bytes += bytes
    this.#bytes += bytes
  }

  close(reduction: Reduction): void {
    this.#open.delete(reduction.group)
    this.#bytes -= reduction.bytes
    if (reduction.endMs === this.#earliestMs) this.#earliestMs = undefined
  }

  snapshot(): Uint8Array {
    return Buffer.from(exactJsonText([FORMAT, ...[...this.#open.values()].map(jsonOf)]))
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
      yield { share, data: piece.snapshot() }
    }
    for (const [share, piece] of pieces) if (piece.count > 0) yield { share, data: piece.snapshot() }
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
