import type { LineText } from '../api/records.ts'

/** Lines of one answer of a search. Those of pages out of sight are released, and read again when they are scrolled to. */
export interface LinePage {
  /** Position of the line before the page; undefined for the first page. */
  readonly after: string | undefined
  /** Number of lines of the page, held or released. */
  readonly count: number
  /** The first lines of the page, as many as are held. */
  readonly lines: readonly LineText[]
  /** Whether the page was read to its end, and is held. */
  readonly isWhole: boolean
}

/** A line, or undefined in the place of one that is not held. */
export type FoundRow = LineText | undefined

/** Position behind which a search goes on. */
export function positionOf({ timeMs, id }: LineText): string {
  return `${timeMs}-${id}`
}

export function rowsOf(pages: readonly LinePage[]): readonly FoundRow[] {
  const rows: FoundRow[] = []
  for (const { count, lines } of pages) {
    for (const line of lines) rows.push(line)
    for (let at = lines.length; at < count; at++) rows.push(undefined)
  }
  return rows
}

/** Index of the page that contains a row. */
export function pageOfRow(pages: readonly LinePage[], row: number): number {
  let first = 0
  return pages.findIndex(({ count }) => {
    first += count
    return row < first
  })
}

/** The page that has to be read to go on at the end: the last one if it is incomplete, else a new one. */
export function pageAtEnd(pages: readonly LinePage[]): number {
  return pages.at(-1)?.isWhole === false ? pages.length - 1 : pages.length
}

/** The pages with the first lines of one that is being read. Lines that were read of it before are replaced. */
export function withLines(
  pages: readonly LinePage[],
  at: number,
  { after, lines }: { readonly after: string | undefined; readonly lines: readonly LineText[] },
): readonly LinePage[] {
  const count = Math.max(pages[at]?.count ?? 0, lines.length)
  return withPage(pages, at, { after, count, lines, isWhole: false })
}

/** The pages once one of them was read to its end. */
export function withEnd(pages: readonly LinePage[], at: number): readonly LinePage[] {
  const page = pages[at]
  if (page === undefined) return pages
  return withPage(pages, at, { ...page, count: page.lines.length, isWhole: true })
}

/** Releases lines of the pages that are farthest from one, until no more lines are held than allowed. */
export function withinBounds(
  pages: readonly LinePage[],
  near: number,
  mostLines: number,
): readonly LinePage[] {
  let held = pages.reduce((sum, { lines }) => sum + lines.length, 0)
  if (held <= mostLines) return pages
  const bounded = [...pages]
  const farthest = pages.map((_, at) => at).sort((a, b) => Math.abs(b - near) - Math.abs(a - near))
  for (const at of farthest) {
    const page = bounded[at]
    if (held <= mostLines || at === near || page === undefined) break
    held -= page.lines.length
    bounded[at] = { ...page, lines: [], isWhole: false }
  }
  return bounded
}

function withPage(pages: readonly LinePage[], at: number, page: LinePage): readonly LinePage[] {
  return at < pages.length ? pages.with(at, page) : [...pages, page]
}
