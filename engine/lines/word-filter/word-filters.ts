import { blockColumns, type LineTable } from '../../../schemas/log/tables.ts'
import type { Steps } from '../../steps.ts'
import { type NativeColumn, nativeBlock } from '../native-block/native-block.ts'
import { Int64Column, UInt16Column, UInt32Column } from '../native-block/number-columns.ts'
import { TextColumn } from '../native-block/text-column.ts'
import { WordColumn } from '../native-block/word-columns.ts'
import { MappedLines } from './mapped-lines.ts'
import { rowSegments, spanOf } from './row-segments.ts'
import type { SearchedLines } from './searched-lines.ts'
import { SegmentFilter } from './segment-filter.ts'
import { SlottedLines } from './slotted-lines.ts'

/** Lines of a filter segment. */
const SEGMENT_LINES = 8_192
/** Segments with fewer lines have one row for all sections. */
const SECTIONED_LINES = 1_024
/** Number in place of a section: the row has all of them. */
export const ALL_SECTIONS = 65_535

/** Block of table `word_filters`. */
export interface WordFilterBlock {
  readonly block: readonly Uint8Array[]
  readonly rows: number
}

/**
 * Makes the filters of a block of lines, one per segment. A segment is some thousand lines of one account that follow each
 * other in their own time. A filter contains the keys of all texts that a term searches: query language, section 4.2. They
 * come from the bytes that enter the store, whatever way a line took.
 */
export function* wordFilters(
  block: readonly Uint8Array[],
  table: LineTable,
  segmentLines: number = SEGMENT_LINES,
): Steps<WordFilterBlock> {
  const lines = table === 'lines' ? new MappedLines(block) : new SlottedLines(block)
  const rows = new FilterRows(lines)
  const filter = freeFilters.pop() ?? new SegmentFilter()
  try {
    let segment = 0
    for (const { account, members } of rowSegments(lines.account.places, lines.timestamps, segmentLines)) {
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
    const times = spanOf(this.#lines.timestamps, members)
    const append = (section: number, bytes: Buffer) =>
      this.#append(account, segment, members.length, times, section, bytes)
    if (members.length < SECTIONED_LINES) append(ALL_SECTIONS, filter.whole())
    else for (const [section, bytes] of filter.sections().entries()) append(section, bytes)
  }

  #append(
    account: string,
    segment: number,
    lines: number,
    { first, last }: { readonly first: number; readonly last: number },
    section: number,
    bytes: Buffer,
  ): void {
    const columns = this.#columns
    const lastRow = this.#lines.rows - 1
    columns.account.append(account)
    columns.slice.append(section)
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
