/** Rows of one account that follow each other in their own time. */
export interface RowSegment {
  /** Place of the account. */
  readonly account: number
  /** Row numbers, ascending. */
  readonly members: Uint32Array
}

/** Most times of a block are within seconds; with so many spans of equal length each is short. */
const TIME_SPANS = 65_536

/**
 * Divides the rows of a block into segments: by account, then by their own time. Rows of the same span of time, which
 * is short, may come in any order. A segment with a short time leads a search to few lines.
 *
 * @param accounts place of the account of each row
 * @param timestamps time of each row, UNIX ms
 * @param most rows of a segment
 */
export function* rowSegments(
  accounts: Uint8Array | Uint16Array | Uint32Array,
  timestamps: Float64Array,
  most: number,
): Generator<RowSegment> {
  const byAccount = grouped(accounts, 1 + maxOf(accounts))
  for (let account = 0; account < byAccount.ends.length; account++) {
    const rows = byAccount.places.subarray(byAccount.ends[account - 1] ?? 0, byAccount.ends[account])
    const inTime = byTime(rows, timestamps)
    for (let from = 0; from < inTime.length; from += most)
      yield { account, members: inTime.slice(from, from + most).sort() }
  }
}

/** The first and the last time of rows. */
export function spanOf(timestamps: Float64Array, rows: Uint32Array): { first: number; last: number } {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (let place = 0; place < rows.length; place++) {
    const time = timestamps[rows[place] as number] as number
    if (time < first) first = time
    if (time > last) last = time
  }
  return { first, last }
}

function byTime(rows: Uint32Array, timestamps: Float64Array): Uint32Array {
  if (isInTime(rows, timestamps)) return rows
  const { first, last } = spanOf(timestamps, rows)
  const lengthMs = Math.max(1, Math.ceil((last - first + 1) / TIME_SPANS))
  const spans = new Uint32Array(rows.length)
  for (let place = 0; place < rows.length; place++)
    spans[place] = Math.floor(((timestamps[rows[place] as number] as number) - first) / lengthMs)
  const { places } = grouped(spans, Math.floor((last - first) / lengthMs) + 1)
  for (let place = 0; place < places.length; place++) places[place] = rows[places[place] as number] as number
  return places
}

function isInTime(rows: Uint32Array, timestamps: Float64Array): boolean {
  let last = Number.NEGATIVE_INFINITY
  for (let place = 0; place < rows.length; place++) {
    const time = timestamps[rows[place] as number] as number
    if (time < last) return false
    last = time
  }
  return true
}

/** Places 0, 1, 2, … in the order of their groups, and the end of each group. */
function grouped(groupOf: Uint8Array | Uint16Array | Uint32Array, groups: number) {
  const { length } = groupOf
  const ends = new Uint32Array(groups)
  for (let place = 0; place < length; place++) increment(ends, groupOf[place] as number)
  for (let group = 1; group < groups; group++)
    ends[group] = (ends[group] as number) + (ends[group - 1] as number)
  const next = ends.slice()
  const places = new Uint32Array(length)
  for (let place = length - 1; place >= 0; place--) {
    const group = groupOf[place] as number
    const at = (next[group] as number) - 1
    next[group] = at
    places[at] = place
  }
  return { places, ends }
}

function increment(counts: Uint32Array, index: number): void {
  counts[index] = (counts[index] as number) + 1
}

function maxOf(places: Uint8Array | Uint16Array | Uint32Array): number {
  let most = 0
  for (const place of places) if (place > most) most = place
  return most
}
