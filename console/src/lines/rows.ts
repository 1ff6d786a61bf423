import type { LineText } from '../api/records.ts'

/** A row between lines that says something about them, such as a gap of a tail. */
export interface NoteRow {
  readonly id: string
  readonly note: string
  readonly kind: 'rule' | 'gap' | 'good'
  /** Address of a search that shows more. */
  readonly link?: string | undefined
}

export type ListRow = LineText | NoteRow

export function isLine(row: ListRow | undefined): row is LineText {
  return row !== undefined && 'text' in row
}
