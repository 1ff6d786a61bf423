import type { Position } from '../../../schemas/log/position.ts'
import { blockColumns } from '../../../schemas/log/tables.ts'
import { type NativeColumn, nativeBlock } from '../../lines/native-block/native-block.ts'
import { Int64Column, UInt32Column } from '../../lines/native-block/number-columns.ts'
import type { TableBatch } from '../flush.ts'
import { wordsOf } from './node-metrics-block.ts'

/** The first stored line of an account on a UTC day whose field name was not indexed. */
export interface FullFieldDay extends Position {
  readonly account: string
  /** Log time of the line, UNIX ms. */
  readonly timeMs: number
}

/** Days that wait for the next flush. */
export class FullFieldDays {
  #days: FullFieldDay[] = []

  add(day: FullFieldDay): void {
    this.#days.push(day)
  }

  /** Returns their rows; none without days. */
  take(): TableBatch[] {
    const days = this.#days
    const [first] = days
    const last = days.at(-1)
    if (first === undefined || last === undefined) return []
    this.#days = []
    const block = fullFieldDaysBlock(days)
    return [{ table: 'full_field_days', block, rows: days.length, first, last, sinceMs: first.timeMs }]
  }
}

/** One block of table `full_field_days`. */
export function fullFieldDaysBlock(days: readonly FullFieldDay[]): Uint8Array[] {
  const t = new Int64Column()
  const offset = new Int64Column()
  const row = new UInt32Column()
  for (const day of days) {
    t.append(day.timeMs)
    offset.appendBigInt(day.offset)
    row.append(day.row)
  }
  const columns: Record<string, NativeColumn> = { t, offset, row, account: wordsOf(days, day => day.account) }
  return nativeBlock(
    blockColumns('full_field_days').map(([name, type]) => [name, type, columns[name] as NativeColumn]),
    days.length,
  )
}
