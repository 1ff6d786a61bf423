import { blockColumns, type LineTable } from '../../../schemas/log/tables.ts'
import type { Steps } from '../../steps.ts'
import type { StoredLine } from '../stored-line/stored-line.ts'
import { FactsColumns } from './facts-columns.ts'
import { FieldColumns, type NamedColumn, ROW_FORM } from './field-columns.ts'
import { columnNamesBytes, countsBytes, type NativeColumn, nativeBlock } from './native-block.ts'
import { Int64Column, UInt16Column, UInt32Column } from './number-columns.ts'
import { SlottedColumns } from './slotted-columns.ts'
import { TextColumn } from './text-column.ts'
import { WordColumn, WordsColumn } from './word-columns.ts'

/** Collects rows of one batch and returns them as one Native block. */
export interface LineBlock {
  readonly rows: number
  /** Size of the block so far; the same rows always give the same number. */
  readonly bytes: number
  /**
   * Columns of the rows' levels and fields, and of their texts where these are stored with the fields. They must have all
   * rows before `bytes` or `take` is used.
   */
  readonly fields: LineColumns
  append(offset: bigint, row: number, line: StoredLine): void
  /** Like `append`, in steps. Nothing else may be called between them. */
  appending(offset: bigint, row: number, line: StoredLine): Steps
  /** Appends a row without that which `fields` has. The caller appends it to `fields` in the same order. */
  appendHead(offset: bigint, row: number, line: StoredLine): void
  /** Like `appendHead` for each of the rows. @param firstRow the others follow it */
  appendHeads(offset: bigint, firstRow: number, heads: SimilarHeads): void
  /** The block's bytes, in pieces to be written one after another; the builder is empty afterwards. */
  take(): Uint8Array[]
}

/**
 * Heads of rows that have most members in common. Rows `from` to `to` of the columns are meant.
 */
export interface SimilarHeads {
  /** The members of the first row. All rows have them, except the text and the members below. */
  readonly line: StoredLine
  readonly from: number
  readonly to: number
  /** The lines' own times, UNIX ms. */
  readonly timestampMs: Float64Array
  readonly hosts: readonly string[]
  readonly apps: readonly string[]
  /** Places of the texts, whose lengths are the rows' sizes. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

/** Fields of rows, in one of the forms in which lines are stored. */
export type LineColumns = FieldColumns | SlottedColumns

/** A builder of blocks of a table with lines, which is used again for each batch. */
export function newLineBlock(table: LineTable = 'lines'): LineBlock {
  return table === 'lines' ? new PlainLineBlock() : new SlottedLineBlock()
}

/** Columns that the blocks of all forms have. */
class HeadColumns {
  readonly #account = new WordColumn()
  readonly #t = new Int64Column()
  readonly #ts = new Int64Column()
  readonly #offset = new Int64Column()
  readonly #row = new UInt32Column()
  readonly #host = new WordColumn()
  readonly #app = new WordColumn()
  readonly #meta = new TextColumn()
  readonly #extra = new TextColumn()
  readonly #size = new UInt32Column()
  readonly #retention = new UInt16Column()
  readonly #pool = new UInt16Column()
  // All rows of a record have its offset, so the bigint is converted once.
  #lastOffset = 0n
  #lastOffsetLow = 0
  #lastOffsetHigh = 0

  readonly named: readonly NamedColumn[] = [
    ['account', this.#account],
    ['t', this.#t],
    ['ts', this.#ts],
    ['offset', this.#offset],
    ['row', this.#row],
    ['host', this.#host],
    ['app', this.#app],
    ['meta', this.#meta],
    ['extra', this.#extra],
    ['size', this.#size],
    ['retention', this.#retention],
    ['pool', this.#pool],
  ]

  append(offset: bigint, row: number, line: StoredLine): void {
    if (offset !== this.#lastOffset) this.#splitOffset(offset)
    this.#account.append(line.account)
    this.#t.append(line.timeMs)
    this.#ts.append(line.timestampMs)
    this.#offset.appendHalves(this.#lastOffsetLow, this.#lastOffsetHigh)
    this.#row.append(row)
    this.#host.append(line.host)
    this.#app.append(line.app)
    this.#meta.append(line.meta)
    this.#extra.append(line.extra)
    this.#size.append(line.sizeBytes)
    this.#retention.append(line.retentionDays)
    this.#pool.append(line.poolDays)
  }

  appendAll(offset: bigint, firstRow: number, heads: SimilarHeads): void {
    const { line, from, to, hosts, apps } = heads
    const rows = to - from
    if (offset !== this.#lastOffset) this.#splitOffset(offset)
    this.#account.appendRepeated(line.account, rows)
    this.#t.appendRepeated(line.timeMs, rows)
    this.#ts.appendAll(heads.timestampMs.subarray(from, to))
    this.#offset.appendRepeatedHalves(this.#lastOffsetLow, this.#lastOffsetHigh, rows)
    this.#row.appendFrom(firstRow, rows)
    for (let row = from; row < to; row++) this.#host.append(hosts[row] as string)
    for (let row = from; row < to; row++) this.#app.append(apps[row] as string)
    this.#meta.appendRepeated(line.meta, rows)
    this.#extra.appendRepeated(line.extra, rows)
    this.#size.appendLengths(heads.starts, heads.ends, from, to)
    this.#retention.appendRepeated(line.retentionDays, rows)
    this.#pool.appendRepeated(line.poolDays, rows)
  }

  #splitOffset(offset: bigint): void {
    this.#lastOffset = offset
    this.#lastOffsetLow = Number(offset & 0xffffffffn)
    this.#lastOffsetHigh = Number(offset >> 32n)
  }
}

/** Columns of a table in their order, which become one block. */
class BlockColumns {
  readonly #columns: readonly (readonly [string, string, NativeColumn])[]
  readonly #namesBytes: number

  constructor(table: LineTable, named: readonly NamedColumn[]) {
    const byName = new Map(named)
    const columns = blockColumns(table)
    this.#columns = columns.map(([name, type]) => [name, type, byName.get(name) as NativeColumn])
    this.#namesBytes = columnNamesBytes(columns)
  }

  bytesOf(rows: number): number {
    let bytes = this.#namesBytes + countsBytes(this.#columns.length, rows)
    for (const [, , column] of this.#columns) bytes += column.bytes
    return bytes
  }

  take(rows: number): Uint8Array[] {
    return nativeBlock(this.#columns, rows)
  }
}

/** Block of table `lines`. */
class PlainLineBlock implements LineBlock {
  readonly #head = new HeadColumns()
  readonly #file = new WordColumn()
  readonly #env = new WordColumn()
  readonly #mac = new WordColumn()
  readonly #ip = new WordColumn()
  readonly #remote = new WordColumn()
  readonly #tags = new WordsColumn()
  readonly #line = new TextColumn()
  readonly fields = new FieldColumns()
  readonly #columns = new BlockColumns('lines', [
    ...this.#head.named,
    ['file', this.#file],
    ['env', this.#env],
    ['mac', this.#mac],
    ['ip', this.#ip],
    ['remote', this.#remote],
    ['tags', this.#tags],
    ['line', this.#line],
    ...this.fields.named().map(([name, , column]) => [name, column] as const),
  ])
  #rows = 0

  get rows(): number {
    return this.#rows
  }

  get bytes(): number {
    return this.#columns.bytesOf(this.#rows)
  }

  append(offset: bigint, row: number, line: StoredLine): void {
    this.appendHead(offset, row, line)
    this.fields.append(ROW_FORM.composed, line.level, line)
  }

  *appending(offset: bigint, row: number, line: StoredLine): Steps {
    this.appendHead(offset, row, line)
    yield* this.fields.appending(ROW_FORM.composed, line.level, line)
  }

  appendHead(offset: bigint, row: number, line: StoredLine): void {
    this.#head.append(offset, row, line)
    this.#file.append(line.file)
    this.#env.append(line.env)
    this.#mac.append(line.mac)
    this.#ip.append(line.ip)
    this.#remote.append(line.remoteAddress)
    this.#tags.append(line.tags)
    this.#line.appendBytes(line.textBytes, line.textStart, line.textEnd)
    this.#rows++
  }

  appendHeads(offset: bigint, firstRow: number, heads: SimilarHeads): void {
    const { line, from, to, starts, ends } = heads
    this.#head.appendAll(offset, firstRow, heads)
    this.#file.appendRepeated(line.file, to - from)
    this.#env.appendRepeated(line.env, to - from)
    this.#mac.appendRepeated(line.mac, to - from)
    this.#ip.appendRepeated(line.ip, to - from)
    this.#remote.appendRepeated(line.remoteAddress, to - from)
    for (let row = from; row < to; row++) {
      this.#tags.append(line.tags)
      this.#line.appendBytes(line.textBytes, starts[row] as number, ends[row] as number)
    }
    this.#rows += to - from
  }

  take(): Uint8Array[] {
    const rows = this.#rows
    this.#rows = 0
    this.fields.clear()
    return this.#columns.take(rows)
  }
}

/** Block of table `slotted_lines`. */
class SlottedLineBlock implements LineBlock {
  readonly #head = new HeadColumns()
  readonly #facts = new FactsColumns()
  readonly fields = new SlottedColumns()
  readonly #columns = new BlockColumns('slotted_lines', [
    ...this.#head.named,
    ['facts', this.#facts.facts],
    ['tag_list', this.#facts.tagList],
    ...this.fields.named().map(([name, , column]) => [name, column] as const),
  ])
  #rows = 0

  get rows(): number {
    return this.#rows
  }

  get bytes(): number {
    return this.#columns.bytesOf(this.#rows)
  }

  append(offset: bigint, row: number, line: StoredLine): void {
    this.appendHead(offset, row, line)
    this.fields.appendWhole(ROW_FORM.composed, line.level, line, line)
  }

  *appending(offset: bigint, row: number, line: StoredLine): Steps {
    this.appendHead(offset, row, line)
    yield* this.fields.appendingWhole(ROW_FORM.composed, line.level, line, line)
  }

  appendHead(offset: bigint, row: number, line: StoredLine): void {
    this.#head.append(offset, row, line)
    this.#facts.append(line)
    this.#rows++
  }

  appendHeads(offset: bigint, firstRow: number, heads: SimilarHeads): void {
    const rows = heads.to - heads.from
    this.#head.appendAll(offset, firstRow, heads)
    this.#facts.appendRepeated(heads.line, rows)
    this.#rows += rows
  }

  take(): Uint8Array[] {
    const rows = this.#rows
    this.#rows = 0
    this.fields.clear()
    return this.#columns.take(rows)
  }
}
