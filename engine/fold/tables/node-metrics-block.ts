import { blockColumns } from '../../../schemas/log/tables.ts'
import { type NativeColumn, nativeBlock } from '../../lines/native-block/native-block.ts'
import { Int64Column, UInt32Column } from '../../lines/native-block/number-columns.ts'
import { WordColumn } from '../../lines/native-block/word-columns.ts'
import { ACTIVITY_COLUMNS, type NodeActivity } from '../node-activity.ts'

/** Position and time of the rows of a minute: row 0, 1, 2, … of the record that ended it. */
export interface MinuteContext {
  readonly offset: bigint
  /** Start of the minute of log time of the rows, UNIX ms. */
  readonly minuteMs: number
}

/** Activity of one node in a minute. */
export interface NodeMetricsRow {
  readonly account: string
  readonly pipeline: string
  readonly node: string
  /** Name of an output; absent: the node apart from its outputs with names. */
  readonly output?: string
  readonly activity: Readonly<NodeActivity>
}

/**
 * One block of table `node_metrics`. Blocks without outputs do not have their column, as those of behaviours before the twelfth; the
 * store takes it as empty.
 */
export function nodeMetricsBlock(context: MinuteContext, rows: readonly NodeMetricsRow[]): Uint8Array[] {
  const columns: Record<string, NativeColumn> = {
    ...minuteColumns(context, rows.length),
    account: wordsOf(rows, row => row.account),
    pipeline: wordsOf(rows, row => row.pipeline),
    node: wordsOf(rows, row => row.node),
    output: wordsOf(rows, row => row.output ?? ''),
  }
  const hasOutputs = rows.some(({ output }) => output !== undefined)
  for (const [name, counter] of Object.entries(ACTIVITY_COLUMNS)) {
    const column = new Int64Column()
    for (const { activity } of rows) column.append(activity[counter])
    columns[name] = column
  }
  return nativeBlock(
    blockColumns('node_metrics')
      .filter(([name]) => hasOutputs || name !== 'output')
      .map(([name, type]) => [name, type, columns[name] as NativeColumn]),
    rows.length,
  )
}

/** The columns t, offset and row of a minute's rows. */
export function minuteColumns(
  { offset, minuteMs }: MinuteContext,
  rows: number,
): Record<'t' | 'offset' | 'row', NativeColumn> {
  const t = new Int64Column()
  const offsets = new Int64Column()
  const numbers = new UInt32Column()
  for (let row = 0; row < rows; row++) {
    t.append(minuteMs)
    offsets.appendBigInt(offset)
    numbers.append(row)
  }
  return { t, offset: offsets, row: numbers }
}

export function wordsOf<Row>(rows: readonly Row[], wordOf: (row: Row) => string): WordColumn {
  const column = new WordColumn()
  for (const row of rows) column.append(wordOf(row))
  return column
}
