import type { LineRow } from '../../lines/stored-line/line-record.ts'
import type { LineFilters } from '../../query-language/line-filters.ts'
import type { Query } from '../../query-language/syntax-tree.ts'

/** The lines of a search, before a page is cut from them. */
export interface LineSelection {
  readonly account: string
  /** Bounds of the line's own time, UNIX ms, both inclusive. */
  readonly fromMs: number
  readonly toMs: number
  /** Lines whose retention is over at this time, UNIX ms, are hidden. */
  readonly asOfMs: number
  readonly filters: LineFilters
  readonly query: Query
  /** UTC days (YYYY-MM-DD) whose received lines are left out. */
  readonly exceptDays?: readonly string[]
  /**
   * UTC days (YYYY-MM-DD) on which names of fields were left out. Lines that came on them are read, and decided by their
   * texts.
   */
  readonly fullDays?: readonly string[] | undefined
}

/** Place of a line in the order of time and id. */
export type LinePosition = Pick<LineRow, 'ts' | 't' | 'topic' | 'partition' | 'offset' | 'row'>

export interface LinePage {
  /** The end that is kept: the oldest lines, or the newest. */
  readonly prefer: 'head' | 'tail'
  readonly limit: number
  /** The page has only lines behind this one, as seen from the preferred end. */
  readonly behind?: LinePosition
}

/** A row of the answer. */
export interface SelectedLine extends LineRow {
  /** Number of lines in the whole answer; present if the newest lines are preferred. */
  readonly found?: number
}

/** Methods by which the lines of a selection are found. The first reads least data, the last most. */
export type SearchAccess =
  /** The word index names the places where lines of the answer may be. */
  | 'index'
  /** The order of the table is enough, because every line of the period belongs to the answer. */
  | 'order'
  /** The search reads every line of the period, until the page is full. */
  | 'scan'

/** A search that was not started yet. */
export interface LineSearch {
  readonly access: SearchAccess
  /** Runs the search. Leaving the iteration, or aborting the signal, ends it. */
  rows(signal: AbortSignal): AsyncIterable<SelectedLine[]>
  /**
   * Like `rows`, with the lines in the order in which they are found: from the preferred end on. The period is searched
   * slice by slice, the first ones being short, so that the first lines come soon. A line is returned when no line nearer
   * to the preferred end can follow.
   */
  parts(signal: AbortSignal): AsyncIterable<SearchedPart>
}

/** Lines of an answer, at least one, or the progress of its search. */
export type SearchedPart = { readonly rows: readonly SelectedLine[] } | { readonly progress: SearchProgress }

/** Part of a period that was searched: it begins at the preferred end. */
export interface SearchProgress {
  /** The time where it ends, UNIX ms, inclusive. */
  readonly coveredToMs: number
  /** Lines that were read. Those of a filter segment that was named count as a whole. */
  readonly linesRead: number
}
