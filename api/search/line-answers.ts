import { renderRecord } from '../../engine/lines/stored-line/line-record.ts'
import type { LinePosition, SelectedLine } from '../../engine/store/search/line-selection.ts'
import { PIECE_CHARACTERS } from '../http/streamed-rows.ts'

/** Whether the caller can see a line. */
export type Visibility = (row: SelectedLine) => boolean

/** One record per line of text (export, section 6.2). */
export async function* recordLines(
  rows: AsyncIterable<readonly SelectedLine[]>,
  isVisible: Visibility,
): AsyncGenerator<string> {
  let piece = ''
  for await (const some of rows) {
    for (const row of some) {
      if (!isVisible(row)) continue
      piece += `${renderRecord(row)}\n`
      if (piece.length < PIECE_CHARACTERS) continue
      yield piece
      piece = ''
    }
  }
  if (piece !== '') yield piece
}

/**
 * One page in its envelope (export, section 6.3). A page is shorter when some of its lines are not visible.
 *
 * @param rows the rows of the page, and one more if further rows exist
 * @param tokenAt returns the token of a page that continues behind a line
 */
export async function* recordPage(
  rows: AsyncIterable<readonly SelectedLine[]>,
  { limit, prefer }: { readonly limit: number; readonly prefer: 'head' | 'tail' },
  { isVisible, tokenAt }: { readonly isVisible: Visibility; tokenAt(position: LinePosition): string },
): AsyncGenerator<string> {
  let piece = '{"lines":['
  let token: string | null = null
  let index = 0
  let separator = ''
  let last: SelectedLine | undefined
  for await (const some of rows) {
    for (const row of some) {
      // The surplus line is the farthest one from the preferred end; the page ends at its neighbour.
      const isSurplus = prefer === 'head' ? index === limit : index === 0 && (row.found ?? 0) > limit
      if (prefer === 'tail' && index === 1 && last === undefined) token = tokenAt(row)
      if (prefer === 'head' && isSurplus) token = tokenAt(last as SelectedLine)
      index++
      if (isSurplus) continue
      last = row
      if (!isVisible(row)) continue
      piece += separator + renderRecord(row)
      separator = ','
      if (piece.length < PIECE_CHARACTERS) continue
      yield piece
      piece = ''
    }
  }
  yield `${piece}],"pagination_id":${JSON.stringify(token)}}`
}
