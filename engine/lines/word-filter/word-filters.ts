import { blockColumns } from '../../../schemas/log/tables.ts'
import type { Steps } from '../../steps.ts'
import { BlockView, type ListView, type TextView, type WordView } from '../native-block/block-view.ts'
import { type NativeColumn, nativeBlock } from '../native-block/native-block.ts'
import { Int64Column, UInt16Column, UInt32Column } from '../native-block/number-columns.ts'
import { TextColumn } from '../native-block/text-column.ts'
import { WordColumn } from '../native-block/word-columns.ts'
import { rowSegments } from './row-segments.ts'
import { SegmentFilter, TEXT_MARK } from './segment-filter.ts'

/** Lines of a segment. */
const SEGMENT_LINES = 8_192
/** Segments with fewer lines have one row for all slices. */
const SLICED_LINES = 1_024
/** Number in place of a slice: the row has all of them. */
export const ALL_SLICES = 65_535
/** Texts that are added in one step. */
const STEP_TEXTS = 1_024
/** Texts that are copied at once, if their rows follow each other. */
const COPIED_TEXTS = 32

/** Block of table `word_filters`. */
export interface WordFilterBlock {
  readonly block: readonly Uint8Array[]
  readonly rows: number
}

/**
 * Makes the filters of a block of table `lines`, one per segment. A segment is some thousand lines of one account that
 * follow each other in their own time. A filter contains the keys of all texts that a term searches: query language,
 * section 4.2. They come from the bytes that enter the store, whatever way a line took.
 */
export function* wordFilters(
  block: readonly Uint8Array[],
  segmentLines: number = SEGMENT_LINES,
): Steps<WordFilterBlock> {
  const lines = new SearchedLines(block)
  const rows = new FilterRows(lines)
  const filter = freeFilters.pop() ?? new SegmentFilter()
  try {
    let segment = 0
    for (const { account, members } of rowSegments(lines.account.places, lines.timestamp, segmentLines)) {
      filter.clear()
      yield* lines.addTo(filter, members)
      rows.append(lines.account.words[account] as string, segment++, members, filter)
      yield
    }
  } finally {
    freeFilters.push(filter)
  }
  return rows.take()
}

/** Filters that no block uses at present. */
const freeFilters: SegmentFilter[] = []

/** Texts of a block that terms search. */
class SearchedLines {
  readonly rows: number
  readonly account: WordView
  readonly time: (row: number) => number
  readonly timestamp: (row: number) => number
  readonly offset: (row: number) => number
  readonly row: (row: number) => number
  readonly #words: readonly WordView[]
  readonly #tags: ListView & WordView
  readonly #line: TextView
  readonly #meta: TextView
  readonly #extra: TextView
  readonly #textFields: ListView & { values(): TextView }

  constructor(block: readonly Uint8Array[]) {
    // In the order of the columns: schemas/log/tables.ts.
    const view = new BlockView(block)
    this.rows = view.rows
    this.account = view.words()
    this.time = view.integers()
    this.timestamp = view.integers()
    this.offset = view.integers()
    this.row = view.smallIntegers(4)
    const [host, app, level, file, env] = Array.from({ length: 5 }, () => view.words())
    // Terms do not search addresses.
    for (let each = 0; each < 3; each++) view.words()
    this.#words = [host, app, level, file, env] as WordView[]
    this.#tags = view.wordLists()
    this.#line = view.texts()
    this.#meta = view.texts()
    this.#extra = view.texts()
    view.smallIntegers(4)
    view.smallIntegers(2)
    view.smallIntegers(2)
    this.#textFields = view.textMap()
  }

  /** @param members rows, ascending */
  *addTo(filter: SegmentFilter, members: Uint32Array): Steps {
    const words = new Set<string>()
    for (const column of this.#words) addWords(words, column, members)
    for (const row of members)
      for (let at = startOf(this.#tags, row); at < this.#tags.end(row); at++)
        words.add(this.#tags.words[this.#tags.places[at] as number] as string)
    for (const word of words) filter.addText(word)
    const rewritten: number[] = []
    for (let from = 0; from < members.length; ) {
      from = this.#addLines(filter, members, from, rewritten)
      yield
    }
    for (const row of rewritten) this.#addFields(filter, row)
  }

  /** Adds as many texts as fit into one step. @returns the place of the next row */
  #addLines(filter: SegmentFilter, members: Uint32Array, from: number, rewritten: number[]): number {
    const most = Math.min(members.length, from + STEP_TEXTS)
    let bytes = 0
    let to = from
    while (to < most) {
      const end = endOfRun(members, to, most)
      const encoded = this.#line.encoded(members[to] as number, (members[end - 1] as number) + 1)
      if (bytes + encoded.length > filter.inputBytes) break
      bytes = filter.load(encoded, bytes)
      to = end
    }
    if (to === from) return this.#addLongLine(filter, members, from, rewritten)
    const marks = filter.addLoaded(bytes)
    for (let place = from; place < to; place++) {
      const row = members[place] as number
      const mark = marks[place - from] as number
      if (mark !== 0 || !this.#meta.isEmpty(row) || !this.#extra.isEmpty(row))
        this.#addUnusual(filter, row, mark, rewritten)
    }
    return to
  }

  #addLongLine(filter: SegmentFilter, members: Uint32Array, place: number, rewritten: number[]): number {
    const row = members[place] as number
    const { folded, nested, escaped } = TEXT_MARK
    this.#addUnusual(filter, row, folded | nested | escaped, rewritten)
    return place + 1
  }

  #addUnusual(filter: SegmentFilter, row: number, mark: number, rewritten: number[]): void {
    if ((mark & TEXT_MARK.folded) !== 0) filter.addText(this.#line.text(row))
    if ((mark & TEXT_MARK.escaped) !== 0) filter.addText(withoutEscapes(this.#line.text(row)))
    if ((mark & TEXT_MARK.nested) !== 0 || !this.#meta.isEmpty(row) || !this.#extra.isEmpty(row))
      rewritten.push(row)
  }

  /** Texts of a row's fields that may not stand in its line. */
  #addFields(filter: SegmentFilter, row: number): void {
    if (!this.#meta.isEmpty(row)) filter.addText(metaText(this.#meta.text(row)))
    const from = startOf(this.#textFields, row)
    const to = this.#textFields.end(row)
    if (from === to) return
    const values = this.#textFields.values()
    const encoded = values.encoded(from, to)
    const fits = encoded.length <= filter.inputBytes && to - from <= filter.maxTexts
    const marks = fits ? filter.addLoaded(filter.load(encoded, 0)) : undefined
    for (let value = from; value < to; value++)
      if (marks === undefined || ((marks[value - from] as number) & TEXT_MARK.folded) !== 0)
        filter.addText(values.text(value))
  }
}

/** Rows of table `word_filters`, in the making. */
class FilterRows {
  readonly #lines: SearchedLines
  readonly #columns = {
    account: new WordColumn(),
    slice: new UInt16Column(),
    ts_min: new Int64Column(),
    ts_max: new Int64Column(),
    t: new Int64Column(),
    first_offset: new Int64Column(),
    first_row: new UInt32Column(),
    last_offset: new Int64Column(),
    last_row: new UInt32Column(),
    segment: new UInt32Column(),
    lines: new UInt32Column(),
    filter: new TextColumn(),
  } satisfies Record<string, NativeColumn>
  #rows = 0

  constructor(lines: SearchedLines) {
    this.#lines = lines
  }

  append(account: string, segment: number, members: Uint32Array, filter: SegmentFilter): void {
    const times = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }
    for (const row of members) {
      const time = this.#lines.timestamp(row)
      if (time < times.first) times.first = time
      if (time > times.last) times.last = time
    }
    const append = (slice: number, bytes: Buffer) =>
      this.#append(account, segment, members.length, times, slice, bytes)
    if (members.length < SLICED_LINES) append(ALL_SLICES, filter.whole())
    else for (const [slice, bytes] of filter.slices().entries()) append(slice, bytes)
  }

  #append(
    account: string,
    segment: number,
    lines: number,
    { first, last }: { readonly first: number; readonly last: number },
    slice: number,
    bytes: Buffer,
  ): void {
    const columns = this.#columns
    const lastRow = this.#lines.rows - 1
    columns.account.append(account)
    columns.slice.append(slice)
    columns.ts_min.append(first)
    columns.ts_max.append(last)
    columns.t.append(this.#lines.time(0))
    columns.first_offset.append(this.#lines.offset(0))
    columns.first_row.append(this.#lines.row(0))
    columns.last_offset.append(this.#lines.offset(lastRow))
    columns.last_row.append(this.#lines.row(lastRow))
    columns.segment.append(segment)
    columns.lines.append(lines)
    columns.filter.appendBytes(bytes, 0, bytes.length)
    this.#rows++
  }

  take(): WordFilterBlock {
    const columns: Record<string, NativeColumn> = this.#columns
    const named = blockColumns('word_filters').map(
      ([name, type]) => [name, type, columns[name] as NativeColumn] as const,
    )
    return { block: nativeBlock(named, this.#rows), rows: this.#rows }
  }
}

function addWords(words: Set<string>, column: WordView, members: Uint32Array): void {
  const seen = new Uint8Array(column.words.length)
  for (const row of members) seen[column.places[row] as number] = 1
  for (let place = 0; place < seen.length; place++)
    if (seen[place] === 1) words.add(column.words[place] as string)
}

/** First element of a row. */
function startOf(list: ListView, row: number): number {
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
function metaText(meta: string): string {
  return meta.startsWith('"') ? String(JSON.parse(meta)) : meta
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g
const BLANK_ESCAPES = 'bfnrt'

/** A text with the characters for which escapes of JSON stand: the texts of strings in it, whatever else they are in. */
function withoutEscapes(text: string): string {
  return text.replaceAll(ESCAPE, (_escape, unit: string | undefined, letter: string) => {
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16))
    return BLANK_ESCAPES.includes(letter) ? ' ' : letter
  })
}
