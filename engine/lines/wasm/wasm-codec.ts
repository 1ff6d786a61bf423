import type { Stretch } from '../../steps.ts'
import type { BodyReader, LineCodec, LineRun } from '../line-codec.ts'
import type { ReadRows } from '../native-block/field-columns.ts'
import type { LineColumns } from '../native-block/line-block.ts'
import { type ReadSlottedRows, SlottedColumns } from '../native-block/slotted-columns.ts'
import { LineReader } from '../scan/line-reader.ts'
import type { FieldNames } from '../stored-line/field-names.ts'
import type { CodecMemory } from './codec-memory.ts'
import { KnownNames } from './known-names.ts'
import { WasmScanner } from './wasm-scanner.ts'

/** Rows of the next call after one that fell back at once. */
const FEWEST_ROWS = 8
/** A row that falls back after fewer read ones is a sign that most of the account's rows do. */
const FEW_READ = 4
/** Units of a name that the program asks for. */
const NAME_UNITS = 50
/** Largest number of rows that are skipped before one is tried, for an account whose rows all fall back. */
const MOST_SKIPPED = 64

/** Progress in the rows of an account. It decides which rows are tried and has no influence on results. */
interface Progress {
  /** Rows of the next call. */
  rows: number
  /** Rows to give back unread. */
  skipped: number
  /** `skipped` after the last row that fell back. */
  lastSkipped: number
}

/**
 * The codec in WebAssembly. It fills columns in one pass over the bytes of lines, without an object per line. Rows that
 * are unusual fall back, and so do rows with a name of a field that is new today. Names are accepted by the complete rules
 * alone. A row falls back, too, if its call has asked for too many names. Its memory is bounded; a longer run is read in parts.
 */
export class WasmCodec implements LineCodec {
  readonly #known = new KnownNames()
  readonly #memory = this.#known.memory
  readonly #progress = new WeakMap<FieldNames, Progress>()
  readonly #mostSkipped: number
  /** Places of the texts of apps in the memory, and the end of the last one. */
  readonly #apps = new Map<string, AppText>()
  #appsEnd = 0
  #block: object | undefined
  #account = ''
  /** Number of the present block and account. */
  #blockNumber = 0
  #fallenBackRows = 0
  #fallenBackBodies = 0

  /** @param mostSkipped rows that are given back unread at most, before one is tried again */
  constructor(mostSkipped = MOST_SKIPPED) {
    this.#mostSkipped = mostSkipped
  }

  /** Rows that were left to the complete rules since the start. */
  get fallenBackRows(): number {
    return this.#fallenBackRows
  }

  /** Bodies that were left to the complete rules since the start. */
  get fallenBackBodies(): number {
    return this.#fallenBackBodies
  }

  /** Memory of the program; only tests look at it. */
  get memory(): CodecMemory {
    return this.#memory
  }

  newReader(): BodyReader {
    return new LineReader(new WasmScanner(), () => {
      this.#fallenBackBodies++
    })
  }

  fill(run: LineRun, from: number, names: FieldNames, columns: LineColumns, stretch?: Stretch): number {
    this.#known.beginCall()
    const row = this.#fillRows(run, from, names, columns)
    if (stretch !== undefined) stretch.left -= this.#known.asked * NAME_UNITS
    return row
  }

  #fillRows(run: LineRun, from: number, names: FieldNames, columns: LineColumns): number {
    const progress = this.#progressOf(names)
    let row = from
    while (row < run.rows) {
      if (progress.skipped > 0) {
        progress.skipped--
        return this.#fallBack(row)
      }
      const read = this.#fillPart(run, row, names, columns, progress)
      row += read.rows
      if (read.fellBack) return this.#fallBack(row)
    }
    return row
  }

  #fillPart(run: LineRun, from: number, names: FieldNames, columns: LineColumns, progress: Progress) {
    const { exports } = this.#memory
    names.beginDay(run.timeMs)
    const root = this.#known.use(names, progress.rows)
    const isSlotted = columns instanceof SlottedColumns
    const loaded = this.#load(run, from, isSlotted ? this.#loadApps(run, from, progress.rows) : progress.rows)
    const block = isSlotted ? this.#numberOf(columns, run.account) : 0
    const rows = loaded === 0 ? 0 : exports.fill(loaded, root.root, root.message, isSlotted, block)
    const fellBack = loaded === 0 || exports.fellBack.value !== 0
    if (rows > 0) this.#take(rows, names, columns)
    if (fellBack) retreat(progress, rows, this.#mostSkipped)
    else advance(progress, this.#memory.layout.MAX_ROWS)
    return { rows, fellBack }
  }

  /** Copies rows into the memory, as far as they fit. @returns their number */
  #load(run: LineRun, from: number, most: number): number {
    const { layout, bytes, starts, ends, own, levels } = this.#memory
    const first = run.starts[from] as number
    const limit = Math.min(run.rows, from + most)
    let end = first
    let count = 0
    for (let row = from; row < limit; row++, count++) {
      const start = run.starts[row] as number
      const next = run.ends[row] as number
      const fits = next - start <= layout.MAX_ROW_BYTES && next - first <= layout.INPUT_BYTES
      if (start < end || !fits) break
      starts[count] = layout.INPUT + start - first
      ends[count] = layout.INPUT + next - first
      own[count] = run.own[row] as number
      const sentLevel = run.sentLevels[row] as string
      levels[count] = sentLevel === '' ? 0 : this.#known.sentLevel(sentLevel)
      end = next
    }
    bytes.set(run.bytes.subarray(first, end), layout.INPUT)
    return count
  }

  /** Copies the apps of rows into the memory, as far as they fit. @returns the number of rows */
  #loadApps(run: LineRun, from: number, most: number): number {
    const { apps, appLengths } = this.#memory
    const rows = Math.min(run.rows - from, most)
    for (let row = 0; row < rows; row++) {
      const text = run.apps[from + row] as string
      const app = this.#apps.get(text) ?? this.#loadApp(text, row === 0)
      if (app === undefined) return row
      apps[row] = app.place
      appLengths[row] = app.length
    }
    return rows
  }

  /** @param isFirst whether other apps may be overwritten @returns undefined when it does not fit */
  #loadApp(text: string, isFirst: boolean): AppText | undefined {
    const { layout, bytes } = this.#memory
    const length = Buffer.byteLength(text)
    if (this.#appsEnd + length > layout.APP_BYTES) {
      if (!isFirst) return undefined
      this.#apps.clear()
      this.#appsEnd = 0
    }
    const app = { place: layout.APP_TEXTS + this.#appsEnd, length }
    bytes.write(text, app.place)
    this.#appsEnd += length
    this.#apps.set(text, app)
    return app
  }

  /** Number of the columns' present block for an account, and makes it decide which shapes it can have. */
  #numberOf(columns: SlottedColumns, account: string): number {
    if (columns.block !== this.#block || account !== this.#account) {
      this.#block = columns.block
      this.#account = account
      this.#blockNumber = (this.#blockNumber + 1) >>> 0
      this.#known.admits = shape => columns.admits(account, shape)
    }
    return this.#blockNumber
  }

  #take(rows: number, names: FieldNames, columns: LineColumns): void {
    const { exports } = this.#memory
    const leftOutAt = exports.leftOutAt.value
    names.beginLines(rows, leftOutAt < 0 ? undefined : leftOutAt)
    if (columns instanceof SlottedColumns)
      columns.appendAll({ ...this.#read(rows), ...this.#readSlots(rows) })
    else columns.appendAll(this.#read(rows))
  }

  /** Parts of rows that slotted columns receive in addition. */
  #readSlots(rows: number): Pick<ReadSlottedRows, 'shapes' | 'slots' | 'lines'> {
    const { shapes, slotTextEnds, layout, bytes } = this.#memory
    const textsOf = (slot: number) =>
      bytes.subarray(slot === 0 ? layout.SLOT_TEXTS : slotTextEnds[slot - 1], slotTextEnds[slot])
    const slots = Array.from({ length: layout.SLOTS }, (_, slot) => textsOf(slot))
    return { shapes: shapes.subarray(0, rows), slots, lines: textsOf(layout.SLOTS) }
  }

  #read(rows: number): ReadRows {
    const memory = this.#memory
    const { exports } = memory
    const texts = exports.textEntries.value
    const numbers = exports.numberEntries.value
    return {
      forms: memory.forms.subarray(0, rows),
      words: this.#known.words,
      levels: memory.levels.subarray(0, rows),
      textEnds: memory.textEnds.subarray(0, rows),
      textNames: memory.textNames.subarray(0, texts),
      textValues: memory.textValues.subarray(0, exports.textBytes.value),
      numberEnds: memory.numberEnds.subarray(0, rows),
      numberNames: memory.numberNames.subarray(0, numbers),
      numberValues: memory.numberValues.subarray(0, numbers),
    }
  }

  #fallBack(row: number): number {
    this.#fallenBackRows++
    return row
  }

  #progressOf(names: FieldNames): Progress {
    let progress = this.#progress.get(names)
    if (progress === undefined) {
      progress = { rows: FEWEST_ROWS, skipped: 0, lastSkipped: 0 }
      this.#progress.set(names, progress)
    }
    return progress
  }
}

interface AppText {
  readonly place: number
  readonly length: number
}

function advance(progress: Progress, maxRows: number): void {
  progress.rows = Math.min(maxRows, progress.rows * 2)
  progress.lastSkipped = 0
}

function retreat(progress: Progress, rows: number, mostSkipped: number): void {
  progress.rows = Math.max(FEWEST_ROWS, rows * 2)
  progress.lastSkipped = rows < FEW_READ ? Math.min(mostSkipped, progress.lastSkipped * 2 || 1) : 0
  progress.skipped = progress.lastSkipped
}

/** The codec of this thread. */
export const wasmCodec = new WasmCodec()
