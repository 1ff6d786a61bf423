import type { SliceOfCounts, ValueCounts } from '../../engine/store/search/line-counts.ts'
import type { LineSelection } from '../../engine/store/search/line-selection.ts'
import { type Counting, type CountingTimes, type Coverage, countUntil } from './counting.ts'

/** Values of a facet that are kept until all slices were counted. */
const MAX_VALUES = 100_000
/** Their characters together, so that neither they nor the answer fill the memory. */
const MAX_CHARACTERS = 4 * 1024 * 1024

export interface Facet extends Coverage {
  readonly field: string
  /** Most lines first. */
  readonly values: readonly { readonly value: string; readonly lines: number }[]
  /** Lines with values that are not listed. A line with several values counts for each. */
  readonly other: number
  /** Lines without a value. */
  readonly absent: number
  readonly distinct: number
  /** False if not all lines were counted, or if there are so many values that counts may be too low. */
  readonly exact: boolean
}

interface FacetBounds extends CountingTimes {
  /** Number of values that are shown. */
  readonly limit: number
}

/**
 * Counts the lines of a selection by the values of some fields. The field of which least was counted is always the next,
 * so that all cover nearly the same time, and the time that one does not need is left for the others.
 */
export async function facetsOf(
  counting: Counting,
  selection: LineSelection,
  fields: readonly string[],
  bounds: FacetBounds,
): Promise<Facet[]> {
  const { store, clock } = counting
  const counts: FieldCount[] = []
  await countUntil(counting, bounds, async ({ signal, isOver }) => {
    for (const field of fields)
      counts.push(new FieldCount(field, selection, store.countByValue(selection, field, signal)))
    try {
      while (!isOver()) {
        const areOthersLeft = clock.monotonicMs() >= bounds.untilMs
        const open = counts.filter(each => !each.isComplete && (!areOthersLeft || each.isNextBrief))
        if (open.length === 0) return
        await open.reduce(leastCounted).countSlice()
      }
    } finally {
      for (const each of counts) await each.leave()
    }
  })
  return counts.map(each => each.facet(bounds.limit))
}

function leastCounted(one: FieldCount, other: FieldCount): FieldCount {
  return other.coveredFromMs > one.coveredFromMs ? other : one
}

/** Lines of a selection by the values of one field, as far as they are counted. */
class FieldCount {
  readonly #field: string
  readonly #slices: AsyncIterator<SliceOfCounts<ValueCounts>>
  readonly #fromMs: number
  readonly #merged = new Map<string, number>()
  #characters = 0
  #sliceCount = 0
  #lines = 0
  #absent = 0
  /** Sum of the lines of all values. */
  #valueLines = 0
  #distinct = 0
  /** Whether values were left out because they were too many. */
  #isCut = false
  /** Start of the counted part of the period, UNIX ms. */
  coveredFromMs: number
  /** The first slice is always begun. */
  isNextBrief = true

  constructor(
    field: string,
    { fromMs, toMs }: LineSelection,
    slices: AsyncIterable<SliceOfCounts<ValueCounts>>,
  ) {
    this.#field = field
    this.#fromMs = fromMs
    this.coveredFromMs = toMs + 1
    this.#slices = slices[Symbol.asyncIterator]()
  }

  get isComplete(): boolean {
    return this.coveredFromMs <= this.#fromMs
  }

  async countSlice(): Promise<void> {
    const { done, value: slice } = await this.#slices.next()
    this.coveredFromMs = done ? this.#fromMs : slice.fromMs
    if (done) return
    this.isNextBrief = slice.isNextBrief ?? false
    this.#add(slice.counts)
  }

  #add({ lines, absent, valueLines, distinct, values }: ValueCounts): void {
    this.#sliceCount++
    this.#lines += lines
    this.#absent += absent
    this.#valueLines += valueLines
    this.#distinct = Math.max(this.#distinct, distinct)
    this.#isCut ||= distinct > values.length
    for (const [value, ofValue] of values) {
      const before = this.#merged.get(value)
      if (before === undefined && (this.#merged.size >= MAX_VALUES || this.#characters >= MAX_CHARACTERS)) {
        this.#isCut = true
        continue
      }
      if (before === undefined) this.#characters += value.length
      this.#merged.set(value, (before ?? 0) + ofValue)
    }
  }

  facet(limit: number): Facet {
    const values = mostLines(this.#merged, limit)
    return {
      field: this.#field,
      values,
      other: values.reduce((rest, { lines }) => rest - lines, this.#valueLines),
      absent: this.#absent,
      distinct: Math.max(this.#distinct, this.#merged.size),
      // The values that one slice leaves out are those with the fewest lines.
      exact: this.isComplete && (!this.#isCut || this.#sliceCount === 1),
      lines: this.#lines,
      complete: this.isComplete,
      coveredFromMs: this.coveredFromMs,
    }
  }

  /** Ends the work in the store. */
  async leave(): Promise<void> {
    await this.#slices.return?.()
  }
}

/** The values with most lines, those first. Only some times as many are sorted at once: all of them may be 100,000. */
function mostLines(merged: ReadonlyMap<string, number>, limit: number): Facet['values'] {
  let most: Facet['values'][number][] = []
  const cut = () => {
    most.sort((a, b) => b.lines - a.lines || (a.value < b.value ? -1 : 1))
    most = most.slice(0, limit)
  }
  for (const [value, lines] of merged) {
    most.push({ value, lines })
    if (most.length >= 4 * limit) cut()
  }
  cut()
  return most
}
