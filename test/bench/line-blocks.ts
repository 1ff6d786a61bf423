import { Event } from '../../engine/event/event.ts'
import { TextRun } from '../../engine/fold/text-run.ts'
import type { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { fillAll } from '../../engine/lines/line-codec.ts'
import { newLineBlock } from '../../engine/lines/native-block/line-block.ts'
import { FieldNames } from '../../engine/lines/stored-line/line-fields.ts'
import { newStoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import { wasmCodec } from '../../engine/lines/wasm/wasm-codec.ts'
import { wordFilters } from '../../engine/lines/word-filter/word-filters.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { finish } from '../../engine/steps.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { ACCOUNT } from './ingested-batch.ts'

const RETENTION_DAYS = 30

/** Table of present lines. */
export const LINE_TABLE = 'slotted_lines'

/** Rows of a table, and the filters of their words. */
export interface FilledBlock {
  readonly block: Uint8Array[]
  readonly filters: readonly Uint8Array[]
}

/** Builds blocks as a worker does for lines that no pipeline reads: heads with fixed members, and fields by the codec. */
export class LineBlocks {
  readonly #block = newLineBlock(LINE_TABLE)
  readonly #ownStore = CATALOGUE.defaultOwnStore()
  readonly #fieldNames = new FieldNames()
  readonly #line = newStoredLine()

  /** Adds the lines of a record. @throws Error for lines that are not the texts that were sent */
  append(offset: bigint, batch: LineBatchView, timeMs: number): void {
    const facts = {
      account: ACCOUNT,
      timeMs,
      retentionDays: RETENTION_DAYS,
      poolDays: 0,
      behaviour: BEHAVIOUR,
    }
    const context = { ...facts, fieldNames: this.#fieldNames }
    const line = this.#line
    const { head } = this.#ownStore
    const run = new TextRun()
    for (let row = 0; row < batch.count; row++) {
      const failure = this.#ownStore.fillHead(Event.ofLine(batch, row), line, context)
      if (failure !== undefined) throw new Error(failure.message)
      if (!head.isSentTextAlone) throw new Error('a sample line needs the complete rules')
      run.bytes = line.textBytes as Buffer
      run.add(row, line.textStart, line.textEnd, head.level, line.app, head.own)
      this.#block.appendHead(offset, row, line)
    }
    Object.assign(run, { account: ACCOUNT, timeMs, isExact: true })
    this.#fieldNames.beginRun()
    fillAll(wasmCodec, run, this.#fieldNames, this.#block.fields)
  }

  take(): FilledBlock {
    const block = this.#block.take()
    return { block, filters: finish(wordFilters(block, LINE_TABLE)).block }
  }
}
