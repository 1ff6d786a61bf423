/** Rows of one account that follow each other in their own time. */
export interface RowSegment {
  /** Place of the account. */
  readonly account: number
  /** Row numbers, ascending. */
  readonly members: Uint32Array
}

/** Most times of a block are within seconds; with so many stretches of equal length each is short. */
const TIME_STRETCHES = 65_536

/**
 * Divides the rows of a block into segments: by account, then by their own time. Rows of the same stretch of time, which
 * is short, may come in any order. A segment with a short time leads a search to few lines.
 *
 * @param accounts place of the account of each row
 * @param timestamp time of a row, UNIX ms
 * @param most rows of a segment
 */
export function* rowSegments(
  accounts: Uint8Array | Uint16Array | Uint32Array,
  timestamp: (row: number) => number,
  most: number,
): Generator<RowSegment> {
  const byAccount = grouped(accounts.length, 1 + maxOf(accounts), place => accounts[place] as number)
  for (let account = 0; account < byAccount.ends.length; account++) {
    const rows = byAccount.places.subarray(byAccount.ends[account - 1] ?? 0, byAccount.ends[account])
    const inTime = byTime(rows, timestamp)
    for (let from = 0; from < inTime.length; from += most)
      yield { account, members: inTime.slice(from, from + most).sort() }
  }
}

function byTime(rows: Uint32Array, timestamp: (row: number) => number): Uint32Array {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  let isAscending = true
  for (const row of rows) {
    const time = timestamp(row)
    if (time < last) isAscending = false
    else last = time
    if (time < first) first = time
  }
  if (isAscending) return rows
  const lengthMs = Math.max(1, Math.ceil((last - first + 1) / TIME_STRETCHES))
  const stretches = Math.floor((last - first) / lengthMs) + 1
  const stretchOf = (place: number) => Math.floor((timestamp(rows[place] as number) - first) / lengthMs)
  return grouped(rows.length, stretches, stretchOf).places.map(place => rows[place] as number)
}

/** Places 0, 1, 2, … in the order of their groups, and the end of each group. */
function grouped(length: number, groups: number, groupOf: (place: number) => number) {
  const ends = new Uint32Array(groups)
  for (let place = 0; place < length; place++) increment(ends, groupOf(place))
  for (let group = 1; group < groups; group++)
    ends[group] = (ends[group] as number) + (ends[group - 1] as number)
  const next = ends.slice()
  const places = new Uint32Array(length)
  for (let place = length - 1; place >= 0; place--) {
    const group = groupOf(place)
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
