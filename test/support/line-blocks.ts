import { newLineBlock } from '../../engine/lines/native-block/line-block.ts'
import type { StoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import type { LineTable } from '../../schemas/log/tables.ts'

/** A line of which only the given members matter. */
export function newStoredLine(members: Partial<StoredLine> = {}): StoredLine {
  return {
    account: '507f1f77bc',
    timeMs: 0,
    timestampMs: 0,
    host: 'web-1',
    app: 'nginx',
    level: 'INFO',
    file: '',
    env: '',
    mac: '',
    ip: '',
    remoteAddress: '',
    tags: [],
    textBytes: new Uint8Array(),
    textStart: 0,
    textEnd: 0,
    meta: '',
    extra: '',
    sizeBytes: 0,
    retentionDays: 30,
    poolDays: 0,
    textFieldNames: [],
    textFieldValues: [],
    textFieldCount: 0,
    numberFieldNames: [],
    numberFieldValues: [],
    numberFieldCount: 0,
    ...members,
  }
}

/** One block with the lines of one record: rows 0, 1, 2, … */
export function blockOf(
  offset: bigint,
  lines: readonly StoredLine[],
  table: LineTable = 'lines',
): Uint8Array[] {
  const block = newLineBlock(table)
  for (const [row, line] of lines.entries()) block.append(offset, row, line)
  return block.take()
}
