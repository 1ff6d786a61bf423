import { blockColumns } from '../../schemas/log/tables.ts'
import {
  columnNamesBytes,
  countsBytes,
  Float64Column,
  Int64Column,
  MapColumn,
  type NativeColumn,
  nativeBlock,
  TextColumn,
  UInt16Column,
  UInt32Column,
  WordColumn,
  WordsColumn,
} from './native-block.ts'
import type { LineBlock, StoredLine } from './stored-line.ts'

/** A builder of blocks of table `lines`; it is used again for batch after batch. */
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
  readonly #level = new WordColumn()
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
  readonly #textFields = new MapColumn<string>(new TextColumn())
  readonly #numberFields = new MapColumn<number>(new Float64Column())
  readonly #columns: readonly (readonly [string, string, NativeColumn])[]
  #rows = 0
  // All rows of a record have its offset: the bigint is taken apart once.
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
      level: this.#level,
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
      text_fields: this.#textFields,
      number_fields: this.#numberFields,
    }
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
    if (offset !== this.#lastOffset) this.#splitOffset(offset)
    this.#account.append(line.account)
    this.#t.append(line.timeMs)
    this.#ts.append(line.timestampMs)
    this.#offset.appendHalves(this.#lastOffsetLow, this.#lastOffsetHigh)
    this.#row.append(row)
    this.#host.append(line.host)
    this.#app.append(line.app)
    this.#level.append(line.level)
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
    this.#textFields.append(line.textFieldNames, line.textFieldValues, line.textFieldCount)
    this.#numberFields.append(line.numberFieldNames, line.numberFieldValues, line.numberFieldCount)
    this.#rows++
  }

  take(): Uint8Array[] {
    const rows = this.#rows
    this.#rows = 0
    return nativeBlock(this.#columns, rows)
  }

  #splitOffset(offset: bigint): void {
    this.#lastOffset = offset
    this.#lastOffsetLow = Number(offset & 0xffffffffn)
    this.#lastOffsetHigh = Number(offset >> 32n)
  }
}
