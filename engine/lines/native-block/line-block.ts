import { blockColumns } from '../../../schemas/log/tables.ts'
import type { StoredLine } from '../stored-line/stored-line.ts'
import { FieldColumns, ROW_FORM } from './field-columns.ts'
import { columnNamesBytes, countsBytes, type NativeColumn, nativeBlock } from './native-block.ts'
import { Int64Column, UInt16Column, UInt32Column } from './number-columns.ts'
import { TextColumn } from './text-column.ts'
import { WordColumn, WordsColumn } from './word-columns.ts'

/** Collects rows of one batch and returns them as one Native block. */
export interface LineBlock {
  readonly rows: number
  /** Size of the block so far; the same rows always give the same number. */
  readonly bytes: number
  /** Columns of the rows' levels and fields. They must have all rows before `bytes` or `take` is used. */
  readonly fields: FieldColumns
  append(offset: bigint, row: number, line: StoredLine): void
  /** Appends a row without level and fields, which the caller appends to `fields` in the same order. */
  appendHead(offset: bigint, row: number, line: StoredLine): void
  /** The block's bytes, in pieces to be written one after another; the builder is empty afterwards. */
  take(): Uint8Array[]
}

/** A builder of blocks of table `lines`, which is used again for each batch. */
export function newLineBlock(): LineBlock {
  return new NativeLineBlock()
}

const COLUMNS = blockColumns('lines')
const NAMES_BYTES = columnNamesBytes(COLUMNS)

class NativeLineBlock implements LineBlock {
  readonly #account = new WordColumn()
  readonly #t = new Int64Column()
  readonly #ts = new Int64Column()
  readonly #offset = new Int64Column()
  readonly #row = new UInt32Column()
  readonly #host = new WordColumn()
  readonly #app = new WordColumn()
  readonly #file = new WordColumn()
  readonly #env = new WordColumn()
  readonly #mac = new WordColumn()
  readonly #ip = new WordColumn()
  readonly #remote = new WordColumn()
  readonly #tags = new WordsColumn()
  readonly #line = new TextColumn()
  readonly #meta = new TextColumn()
  readonly #extra = new TextColumn()
  readonly #size = new UInt32Column()
  readonly #retention = new UInt16Column()
  readonly #pool = new UInt16Column()
  readonly fields = new FieldColumns()
  readonly #columns: readonly (readonly [string, string, NativeColumn])[]
  #rows = 0
  // All rows of a record have its offset, so the bigint is converted once.
  #lastOffset = 0n
  #lastOffsetLow = 0
  #lastOffsetHigh = 0

  constructor() {
    const byName: Record<string, NativeColumn> = {
      account: this.#account,
      t: this.#t,
      ts: this.#ts,
      offset: this.#offset,
      row: this.#row,
      host: this.#host,
      app: this.#app,
      file: this.#file,
      env: this.#env,
      mac: this.#mac,
      ip: this.#ip,
      remote: this.#remote,
      tags: this.#tags,
      line: this.#line,
      meta: this.#meta,
      extra: this.#extra,
      size: this.#size,
      retention: this.#retention,
      pool: this.#pool,
    }
    for (const [name, , column] of this.fields.named()) byName[name] = column
    this.#columns = COLUMNS.map(([name, type]) => [name, type, byName[name] as NativeColumn])
  }

  get rows(): number {
    return this.#rows
  }

  get bytes(): number {
    let bytes = NAMES_BYTES + countsBytes(COLUMNS.length, this.#rows)
    for (const [, , column] of this.#columns) bytes += column.bytes
    return bytes
  }

  append(offset: bigint, row: number, line: StoredLine): void {
    this.appendHead(offset, row, line)
    this.fields.append(ROW_FORM.composed, line.level, line)
  }

  appendHead(offset: bigint, row: number, line: StoredLine): void {
    if (offset !== this.#lastOffset) this.#splitOffset(offset)
    this.#account.append(line.account)
    this.#t.append(line.timeMs)
    this.#ts.append(line.timestampMs)
    this.#offset.appendHalves(this.#lastOffsetLow, this.#lastOffsetHigh)
    this.#row.append(row)
    this.#host.append(line.host)
    this.#app.append(line.app)
    this.#file.append(line.file)
    this.#env.append(line.env)
    this.#mac.append(line.mac)
    this.#ip.append(line.ip)
    this.#remote.append(line.remoteAddress)
    this.#tags.append(line.tags)
    this.#line.appendBytes(line.textBytes, line.textStart, line.textEnd)
    this.#meta.append(line.meta)
    this.#extra.append(line.extra)
    this.#size.append(line.sizeBytes)
    this.#retention.append(line.retentionDays)
    this.#pool.append(line.poolDays)
    this.#rows++
  }

  take(): Uint8Array[] {
    const rows = this.#rows
    this.#rows = 0
    this.fields.clear()
    return nativeBlock(this.#columns, rows)
  }

  #splitOffset(offset: bigint): void {
    this.#lastOffset = offset
    this.#lastOffsetLow = Number(offset & 0xffffffffn)
    this.#lastOffsetHigh = Number(offset >> 32n)
  }
}
