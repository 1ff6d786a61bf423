import { finish, joined, type Steps } from '../../../steps.ts'
import { snapshotList } from '../../../windows/snapshot-lines.ts'
import { ValueFilter } from './value-filter.ts'

/** Values are compared by their first bytes: components, section 5.13. */
const COMPARED_BYTES = 256
/** Begins the compared form of a longer value; the rest has one code unit per byte. */
const CUT_MARK = '\u0000'
const FORMAT = 1
/** Maximum size of a piece, which is sent as one record; JSON may need six bytes for each of its code units. */
const MAX_PIECE_UNITS = 100_000
/** Values that are written at a time. */
const VALUES_AT_A_TIME = 250
/** Rough size of a value in memory, in addition to its text. */
const VALUE_BYTES = 40

/** Bounds of the values of one node: components, section 5.13. */
export interface TagBounds {
  /** Names of tags that are judged. */
  readonly maxNames: number
}

const TAG_BOUNDS: TagBounds = { maxNames: 1_000 }

/** Rule by which the values of a tag are judged. */
export interface TagRule {
  readonly limit: number
  /** false: by a filter, which lets some further values pass. */
  readonly isExact: boolean
}

export type Verdict = 'known' | 'new' | 'refused' | 'unchecked'

/** Values of one tag, or a part of them, in a snapshot. */
type KeptValues = readonly [name: string, values: readonly string[]]
/** Filter of one tag in a snapshot. */
type KeptFilter = readonly [name: string, bits: string, count: number]

/** A value as it is compared. */
export function comparedValue(value: string): string {
  // A code unit has at most three bytes.
  if (value.length * 3 < COMPARED_BYTES) return value
  const bytes = Buffer.from(value)
  if (bytes.length < COMPARED_BYTES) return value
  return CUT_MARK + bytes.toString('latin1', 0, COMPARED_BYTES)
}

/** The values of each tag that a node has accepted. It never forgets one. */
export class AcceptedValues {
  readonly #bounds: TagBounds
  readonly #tags = new Map<string, Set<string> | ValueFilter>()
  #values = 0
  #units = 0

  constructor(bounds: TagBounds = TAG_BOUNDS) {
    this.#bounds = bounds
  }

  /**
   * Judges a value, and remembers nothing.
   *
   * @param value result of `comparedValue`
   * @param names number of other tags of the event that are not known yet
   */
  judge(name: string, value: string, { limit }: TagRule, names: number): Verdict {
    const tag = this.#tags.get(name)
    if (tag === undefined) return this.#tags.size + names < this.#bounds.maxNames ? 'new' : 'unchecked'
    if (tag.has(value)) return 'known'
    const count = tag instanceof Set ? tag.size : tag.count
    return count < limit ? 'new' : 'refused'
  }

  /** Whether a tag has values. */
  has(name: string): boolean {
    return this.#tags.has(name)
  }

  /** Remembers a new value. */
  accept(name: string, value: string, { limit, isExact }: TagRule): void {
    let tag = this.#tags.get(name)
    if (tag === undefined) {
      tag = isExact ? new Set() : ValueFilter.for(limit)
      this.#put(name, tag)
    }
    tag.add(value)
    this.#values++
    if (isExact) this.#units += value.length
  }

  measure(): Readonly<Record<string, number>> {
    return { tags: this.#tags.size, values: this.#values, bytes: this.#units + VALUE_BYTES * this.#values }
  }

  #put(name: string, tag: Set<string> | ValueFilter): void {
    this.#tags.set(name, tag)
    this.#units += name.length
    if (tag instanceof ValueFilter) this.#units += tag.bits.length
  }

  /** JSON: a list that begins with its format. */
  *snapshot(): Steps<Uint8Array> {
    const parts: Buffer[] = [Buffer.from(`[${FORMAT}`)]
    for (const kept of this.#kept()) {
      parts.push(Buffer.from(`,${JSON.stringify(kept)}`))
      yield
    }
    parts.push(Buffer.from(']'))
    return yield* joined(parts)
  }

  /** Tags in parts of a bounded size. */
  *#kept(): Generator<KeptValues | KeptFilter> {
    for (const [name, tag] of this.#tags) {
      if (tag instanceof ValueFilter) {
        yield [name, Buffer.from(tag.bits).toString('base64'), tag.count]
        continue
      }
      const values = [...tag]
      for (let from = 0; from < values.length; from += VALUES_AT_A_TIME)
        yield [name, values.slice(from, from + VALUES_AT_A_TIME)]
    }
  }

  /** @throws RangeError when the bytes are not a snapshot */
  static *restore(bytes: Uint8Array, bounds?: TagBounds): Steps<AcceptedValues> {
    const accepted = new AcceptedValues(bounds)
    for (const kept of keptIn(bytes)) {
      accepted.#add(kept)
      yield
    }
    return accepted
  }

  /** Adds a snapshot, or a piece of one. @throws RangeError when the bytes are not valid */
  absorb(bytes: Uint8Array): void {
    for (const kept of keptIn(bytes)) this.#add(kept)
  }

  #add(kept: KeptValues | KeptFilter): void {
    const [name, values, count] = kept
    const tag = this.#tags.get(name)
    if (typeof values === 'string') {
      const filter = new ValueFilter(Buffer.from(values, 'base64'), count as number)
      if (tag instanceof ValueFilter) tag.join(filter)
      else this.#put(name, filter)
      this.#values += filter.count
      return
    }
    const set = tag instanceof Set ? tag : new Set<string>()
    if (set !== tag) this.#put(name, set)
    for (const value of values) {
      if (set.has(value)) continue
      set.add(value)
      this.#values++
      this.#units += value.length
    }
  }

  /** Removes all values. @yields pieces of a bounded size, for `absorb` */
  *empty(): Iterable<Uint8Array | undefined> {
    let piece = new AcceptedValues(this.#bounds)
    for (const kept of this.#kept()) {
      piece.#add(kept)
      if (piece.#units < MAX_PIECE_UNITS) {
        yield undefined
      } else {
        yield finish(piece.snapshot())
        piece = new AcceptedValues(this.#bounds)
      }
    }
    if (piece.#tags.size > 0) yield finish(piece.snapshot())
    this.#tags.clear()
    this.#values = 0
    this.#units = 0
  }
}

/** @throws RangeError when the bytes are not a snapshot */
function keptIn(bytes: Uint8Array): (KeptValues | KeptFilter)[] {
  const [format, ...kept] = snapshotList(bytes)
  if (format !== FORMAT) throw new RangeError(`values of tags in an unknown format: ${String(format)}`)
  if (!kept.every(isKept)) throw new RangeError('values of tags in a snapshot are damaged')
  return kept
}

function isKept(value: unknown): value is KeptValues | KeptFilter {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return false
  if (value.length === 3) return typeof value[1] === 'string' && typeof value[2] === 'number'
  return Array.isArray(value[1]) && value[1].every(each => typeof each === 'string')
}
