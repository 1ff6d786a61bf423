import type { LineBatchBuilder, LineColumns, TextRows } from '../columns/line-batch-builder.ts'
import type { BodyScanner, ScannedLines } from '../scan/body-scanner.ts'
import { type TimeBounds, textToMs } from '../scan/timestamp.ts'
import { SCAN_STATE, ScanMemory } from './scan-memory.ts'

/**
 * The scanner in WebAssembly. A body is copied into its memory and read into columns there, without an object per line. A long
 * body is read in parts, which are added to the open columns one after the other.
 */
export class WasmScanner implements BodyScanner {
  #memory: ScanMemory | undefined
  #body: Buffer = Buffer.alloc(0)

  /** Memory of the program, which exists from the first body on. Only tests look at it from outside. */
  get memory(): ScanMemory {
    this.#memory ??= new ScanMemory({ timeOfText: (at, length) => this.#timeOfText(at, length) })
    return this.#memory
  }

  load(chunks: readonly Buffer[]): void {
    const { bytes, layout } = this.memory
    let length = 0
    for (const chunk of chunks) length += chunk.length
    if (length > layout.BODY_BYTES) {
      this.#body = Buffer.concat(chunks)
      return
    }
    let at = layout.BODY
    for (const chunk of chunks) at += chunk.copy(bytes, at)
    this.#body = bytes.subarray(layout.BODY, at)
  }

  get body(): Buffer {
    return this.#body
  }

  scan(
    columns: LineBatchBuilder,
    { receivedAtMs, earliestMs, latestMs }: TimeBounds,
    spareBytes: number,
  ): ScannedLines | undefined {
    const { exports, layout } = this.memory
    if (this.#body.length > layout.BODY_BYTES) return undefined
    exports.begin(this.#body.length, receivedAtMs, earliestMs, latestMs, spareBytes)
    let rows = exports.scan()
    if (exports.state.value === SCAN_STATE.unread) return undefined
    const before = exports.state.value === SCAN_STATE.more ? columns.mark() : undefined
    let count = 0
    let retimed = 0
    for (;;) {
      columns.addColumns(this.#read(rows))
      count += rows
      retimed += exports.retimed.value
      if (exports.state.value === SCAN_STATE.read) break
      rows = exports.scan()
      if (exports.state.value !== SCAN_STATE.unread) continue
      if (before !== undefined) columns.rollBack(before)
      return undefined
    }
    return { count, retimed, spareBytes: exports.spareLeft.value }
  }

  /** The columns of the part; views, valid until the next part. */
  #read(rows: number): LineColumns {
    const { bytes, exports, layout, hosts, apps, levels, envs, files, words, times, timeKinds } = this.memory
    return {
      rows,
      bytes,
      lines: texts(layout.LINES, exports.lineBytes.value),
      meta: texts(layout.METAS, exports.metaBytes.value),
      rest: texts(layout.RESTS, exports.restBytes.value),
      wordCount: exports.words.value,
      words,
      hosts,
      apps,
      levels,
      envs,
      files,
      timestampMs: times,
      timestampKind: timeKinds,
    }
  }

  #timeOfText(at: number, length: number): number {
    return textToMs(this.memory.bytes.toString('utf8', at, at + length)) ?? Number.NaN
  }
}

function texts(start: number, bytes: number): TextRows {
  return { start, end: start + bytes }
}
