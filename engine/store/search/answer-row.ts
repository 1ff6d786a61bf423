import { SLOT_NAMES } from '../../../schemas/log/tables.ts'
import { factsOf, tagsOf } from '../../lines/slots/line-facts.ts'
import { knownShape, rebuiltLine } from '../../lines/slots/line-shape.ts'
import type { LineRow } from '../../lines/stored-line/line-record.ts'
import type { Statement, StatementRunner } from '../statement.ts'
import type { SelectedLine } from './line-selection.ts'

/** Members of a row of table `slotted_lines` from which those of a line are put together. */
interface SlottedRow {
  readonly tag_list: string
  readonly facts: string
  readonly shape: string
  readonly whole_line: string
  readonly [slot: `s${number}`]: string
}

type SlottedMember = 'line' | 'tags' | 'file' | 'env' | 'mac' | 'ip' | 'remote'

/** A row of an answer, of any table of lines. */
export type AnswerRow = SelectedLine | (Omit<SelectedLine, SlottedMember> & SlottedRow)

export async function* streamedLines(
  runner: StatementRunner,
  statement: Statement,
  signal: AbortSignal,
): AsyncGenerator<SelectedLine[]> {
  for await (const rows of runner.queryStream<AnswerRow>(statement, signal)) yield rows.map(selectedLine)
}

export function selectedLine(row: AnswerRow): SelectedLine {
  if (!('shape' in row)) return row
  const { tag_list, facts, shape, whole_line, ...others } = row
  const slots = SLOT_NAMES.map(name => row[name as `s${number}`] as string)
  const line = shape === '' ? whole_line : rebuiltLine(knownShape(shape), slots, row)
  return { ...(others as Omit<LineRow, SlottedMember>), ...factsOf(facts), tags: tagsOf(tag_list), line }
}
