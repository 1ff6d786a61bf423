import { renderRecord } from '../../engine/lines/stored-line/line-record.ts'
import type { SearchAccess, SearchedPart, SelectedLine } from '../../engine/store/search/line-selection.ts'
import { PIECE_CHARACTERS } from '../http/streamed-rows.ts'
import type { Visibility } from './line-answers.ts'
import { encodeLinePosition } from './line-position.ts'

export interface SearchAnswer {
  /** Maximum number of lines. */
  readonly limit: number
  readonly access: SearchAccess
  readonly isVisible: Visibility
}

/** Pieces of a search, each a line of JSON text: `lines`, `progress` and finally `end`. */
export async function* searchPieces(
  parts: AsyncIterable<readonly SearchedPart[]>,
  { limit, access, isVisible }: SearchAnswer,
): AsyncGenerator<string> {
  let found = 0
  let last: SelectedLine | undefined
  for await (const some of parts) {
    for (const part of some) {
      if ('rows' in part) {
        found += part.rows.length
        last = part.rows.at(-1) ?? last
        yield* linesPieces(part.rows, isVisible)
      } else {
        const { coveredToMs, linesRead } = part.progress
        yield `{"progress":{"covered_to":${coveredToMs},"rows":${linesRead}}}\n`
      }
    }
  }
  // A shorter answer has reached the end of the period.
  const next = found < limit || last === undefined ? null : encodeLinePosition(last)
  yield `${JSON.stringify({ end: { next, access } })}\n`
}

function* linesPieces(rows: readonly SelectedLine[], isVisible: Visibility): Generator<string> {
  let records = ''
  for (const row of rows) {
    if (!isVisible(row)) continue
    records += `${records === '' ? '' : ','}${renderRecord(row)}`
    if (records.length < PIECE_CHARACTERS) continue
    yield linesPiece(records)
    records = ''
  }
  if (records !== '') yield linesPiece(records)
}

function linesPiece(records: string): string {
  return `{"lines":[${records}]}\n`
}
