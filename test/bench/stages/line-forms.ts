import { fillAll } from '../../../engine/lines/line-codec.ts'
import { type LineBlock, newLineBlock } from '../../../engine/lines/native-block/line-block.ts'
import { FieldNames } from '../../../engine/lines/stored-line/line-fields.ts'
import { newStoredLine } from '../../../engine/lines/stored-line/stored-line.ts'
import { wasmCodec } from '../../../engine/lines/wasm/wasm-codec.ts'
import { bytePool } from '../../../engine/memory/byte-pool.ts'
import type { LineTable } from '../../../schemas/log/tables.ts'
import { ingestedBatch } from '../ingested-batch.ts'
import { type CpuTime, cpuTimeOf } from './cpu-time.ts'

/**
 * Time from the texts of lines to one block in a form: heads with fixed members, level and fields by the codec, and the
 * block. It belongs to one account, whose names of fields are known from earlier blocks.
 */
export function formTimer(bodies: readonly Buffer[], logMs: number): (table: LineTable) => Promise<CpuTime> {
  const runs = bodies.map(body => runOf(body, logMs))
  const names = new FieldNames()
  const blocks = { lines: newLineBlock('lines'), slotted_lines: newLineBlock('slotted_lines') }
  return async table => {
    let pieces: Uint8Array[] = []
    const time = await cpuTimeOf(() => {
      for (const [offset, run] of runs.entries()) fillRun(BigInt(offset), run, names, blocks[table])
      pieces = blocks[table].take()
    })
    for (const { buffer } of pieces) bytePool.giveBack(buffer)
    return time
  }
}

type Run = ReturnType<typeof runOf>

function runOf(body: Buffer, timeMs: number) {
  const batch = ingestedBatch(body, timeMs)
  const rows = Array.from({ length: batch.count }, (_, row) => row)
  return {
    account: batch.account,
    rows: batch.count,
    bytes: batch.lineBytes,
    starts: rows.map(row => batch.lineStart(row)),
    ends: rows.map(row => batch.lineEnd(row)),
    sentLevels: rows.map(row => batch.level(row)),
    apps: rows.map(row => batch.app(row)),
    own: rows.map(() => 0),
    timeMs,
    isExact: true,
  }
}

function fillRun(offset: bigint, run: Run, names: FieldNames, block: LineBlock): void {
  const line = newStoredLine()
  line.textBytes = run.bytes
  for (let row = 0; row < run.rows; row++) {
    line.textStart = run.starts[row] as number
    line.textEnd = run.ends[row] as number
    block.appendHead(offset, row, line)
  }
  names.beginRun()
  fillAll(wasmCodec, run, names, block.fields)
}
