import type { Steps } from '../../steps.ts'
import type { ListView, TextView, WordView } from '../native-block/block-view.ts'
import { type SegmentFilter, TEXT_MARK } from './segment-filter.ts'

/** Texts that are added in one step. */
const STEP_TEXTS = 1_024
/** Texts that are copied at once, if their rows follow each other. */
const COPIED_TEXTS = 32

/**
 * Adds the texts of a column.
 *
 * @param members rows, ascending
 * @param note is called for each row whose text was added, with its mark (TEXT_MARK); a text too long for a step has all marks but
 *   is not added
 */
export function* addTexts(
  filter: SegmentFilter,
  column: TextView,
  members: Uint32Array,
  note: (row: number, mark: number) => void,
): Steps {
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
    const encoded = column.encoded(members[to] as number, (members[end - 1] as number) + 1)
    if (bytes + encoded.length > filter.inputBytes) break
    bytes = filter.load(encoded, bytes)
    to = end
  }
  if (to === from) {
    const { folded, nested, escaped } = TEXT_MARK
    note(members[from] as number, folded | nested | escaped)
    return from + 1
  }
  const marks = filter.addLoaded(bytes)
  for (let place = from; place < to; place++) note(members[place] as number, marks[place - from] as number)
  return to
}

/** Adds the elements of a list from one to another. @param values all elements of the column */
export function addElements(filter: SegmentFilter, values: TextView, from: number, to: number): void {
  const encoded = values.encoded(from, to)
  const fits = encoded.length <= filter.inputBytes && to - from <= filter.maxTexts
  const marks = fits ? filter.addLoaded(filter.load(encoded, 0)) : undefined
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

/** End of the consecutive rows from a place on, a few of which are copied at once. */
function endOfRun(members: Uint32Array, from: number, most: number): number {
  const end = Math.min(most, from + COPIED_TEXTS)
  let to = from + 1
  while (to < end && members[to] === (members[from] as number) + to - from) to++
  return to
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
