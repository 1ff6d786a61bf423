import { blockColumns } from '../../../schemas/log/tables.ts'
import { type NativeColumn, nativeBlock } from '../../lines/native-block/native-block.ts'
import { Int64Column } from '../../lines/native-block/number-columns.ts'
import { TextColumn } from '../../lines/native-block/text-column.ts'
import { type MinuteContext, minuteColumns, wordsOf } from './node-metrics-block.ts'

/** Equal errors of one node in a minute. */
export interface PipelineErrorRow {
  readonly account: string
  readonly pipeline: string
  readonly node: string
  readonly nodeKind: string
  readonly code: string
  readonly field: string | null
  readonly message: string
  readonly captured: string
  readonly count: number
  /** Time of the first of them, UNIX ms; absent: only the minute is known. */
  readonly firstMs?: number
  /** Time of the last of them, UNIX ms. */
  readonly lastMs: number
}

/** One block of table `pipeline_errors`; none without rows. An error without a field has an empty one. */
export function pipelineErrorsBlock(context: MinuteContext, rows: readonly PipelineErrorRow[]): Uint8Array[] {
  if (rows.length === 0) return []
  const t = new Int64Column()
  const message = new TextColumn()
  const captured = new TextColumn()
  const time = new Int64Column()
  const count = new Int64Column()
  for (const row of rows) {
    t.append(row.firstMs ?? context.minuteMs)
    message.append(row.message)
    captured.append(row.captured)
    time.append(row.lastMs)
    count.append(row.count)
  }
  const columns: Record<string, NativeColumn> = {
    ...minuteColumns(context, rows.length),
    t,
    account: wordsOf(rows, row => row.account),
    pipeline: wordsOf(rows, row => row.pipeline),
    node: wordsOf(rows, row => row.node),
    node_kind: wordsOf(rows, row => row.nodeKind),
    code: wordsOf(rows, row => row.code),
    field: wordsOf(rows, row => row.field ?? ''),
    message,
    captured,
    time,
    count,
  }
  return nativeBlock(
    blockColumns('pipeline_errors').map(([name, type]) => [name, type, columns[name] as NativeColumn]),
    rows.length,
  )
}
