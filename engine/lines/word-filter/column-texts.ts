import type { Steps } from '../../steps.ts'
import type { ListView, TextView, WordView } from '../native-block/block-view.ts'
import { type SegmentFilter, TEXT_MARK } from './segment-filter.ts'

/** Texts that are added in one step. */
const STEP_TEXTS = 1_024

/**
 * Adds the texts of a column.
 *
 * @param members rows, ascending
 * @param note is called for each row whose text has a mark (TEXT_MARK); a text too long for a step has all marks, and is not added
 */
export function* addTexts(
  filter: SegmentFilter,
  column: TextView,
  members: Uint32Array,
  note: (row: number, mark: number) => void,
): Steps {
  if (column.areEmpty) return
  for (let from = 0; from < members.length; ) {
    from = addStep(filter, column, members, from, note)
    yield
  }
}

/** Adds as many texts as fit into one step. @returns the place of the next row */
function addStep(
  filter: SegmentFilter,
  column: TextView,
  members: Uint32Array,
  from: number,
  note: (row: number, mark: number) => void,
): number {
  const most = Math.min(members.length, from + STEP_TEXTS)
  let bytes = 0
  let to = from
  while (to < most) {
    const end = endOfRun(members, to, most)
    const row = members[to] as number
    const endRow = column.endWithin(row, row + end - to, filter.inputBytes - bytes)
    bytes = filter.load(column.encoded(row, endRow), bytes)
    to += endRow - row
    if (to < end) break
  }
  if (to === from) {
    const { folded, nested, escaped } = TEXT_MARK
    note(members[from] as number, folded | nested | escaped)
    return from + 1
  }
  const marks = filter.addLoaded(bytes)
  if (marks === undefined) return to
  for (let place = from; place < to; place++) {
    const mark = marks[place - from] as number
    if (mark !== 0) note(members[place] as number, mark)
  }
  return to
}

/** Adds the elements of a list from one to another. @param values all elements of the column */
export function addElements(filter: SegmentFilter, values: TextView, from: number, to: number): void {
  const encoded = values.encoded(from, to)
  const fits = encoded.length <= filter.inputBytes && to - from <= filter.maxTexts
  const marks = fits ? filter.addLoaded(filter.load(encoded, 0)) : undefined
  if (fits && marks === undefined) return
  for (let value = from; value < to; value++)
    if (marks === undefined || ((marks[value - from] as number) & TEXT_MARK.folded) !== 0)
      filter.addText(values.text(value))
}

/** Words of a column in these rows. */
export function addWords(words: Set<string>, column: WordView, members: Uint32Array): void {
  const seen = new Uint8Array(column.words.length)
  for (const row of members) seen[column.places[row] as number] = 1
  for (let place = 0; place < seen.length; place++)
    if (seen[place] === 1) words.add(column.words[place] as string)
}

/** First element of a row. */
export function startOf(list: ListView, row: number): number {
  return row === 0 ? 0 : list.end(row - 1)
}

/** End of the consecutive rows from a place on. Runs are long with few accounts, and short with many. */
function endOfRun(members: Uint32Array, from: number, most: number): number {
  const first = (members[from] as number) - from
  let inRun = from
  let end = from + 1
  while (end < most && members[end] === first + end) {
    inRun = end
    end += end - from
  }
  end = Math.min(end, most)
  while (end - inRun > 1) {
    const middle = (inRun + end) >>> 1
    if (members[middle] === first + middle) inRun = middle
    else end = middle
  }
  return end
}

/** Text of meta that a term searches: that of a string, or the JSON of an object. */
export function metaText(meta: string): string {
  return meta.startsWith('"') ? String(JSON.parse(meta)) : meta
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g
const BLANK_ESCAPES = 'bfnrt'

/** A text with the characters for which escapes of JSON stand: the texts of strings in it, whatever else they are in. */
export function withoutEscapes(text: string): string {
  return text.replaceAll(ESCAPE, (_escape, unit: string | undefined, letter: string) => {
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16))
    return BLANK_ESCAPES.includes(letter) ? ' ' : letter
  })
}
