import { lengthSize, writeLength } from '../columns/text-lengths.ts'

/**
 * Columns of one block in ClickHouse's Native format. Rows are appended into typed buffers that grow; nothing is
 * kept per row on the JavaScript heap. Numbers are little endian, as are all machines that Node 24 runs on.
 */

/** A column that knows its size and returns its bytes. */
export interface NativeColumn {
  /** Size of the result of `take` at present; the same rows always give the same number. */
  readonly bytes: number
  /** Returns the column's bytes and starts again. */
  take(): Uint8Array[]
}

/** Assembles the block: the numbers of columns and rows, then name, type and data of each column. */
export function nativeBlock(
  columns: readonly (readonly [name: string, type: string, column: NativeColumn])[],
  rows: number,
): Uint8Array[] {
  const chunks: Uint8Array[] = [counts(columns.length, rows)]
  for (const [name, type, column] of columns) {
    chunks.push(columnHead(name, type))
    for (const chunk of column.take()) if (chunk.length > 0) chunks.push(chunk)
  }
  return chunks
}

/** Size of the names and types in a block. */
export function columnNamesBytes(columns: readonly (readonly [name: string, type: string])[]): number {
  return columns.reduce((sum, [name, type]) => sum + columnHead(name, type).length, 0)
}

/** Heads of columns by name, then by type. */
const columnHeads = new Map<string, Map<string, Uint8Array>>()

/** Name and type of a column before its data in a block. There are few different ones, each made once. */
function columnHead(name: string, type: string): Uint8Array {
  const known = columnHeads.get(name)?.get(type)
  if (known !== undefined) return known
  const head = Buffer.concat([prefixed(name), prefixed(type)])
  const ofName = columnHeads.get(name) ?? new Map<string, Uint8Array>()
  columnHeads.set(name, ofName.set(type, head))
  return head
}

/** A block's first bytes: the numbers of columns and rows. */
function counts(columns: number, rows: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(countsBytes(columns, rows))
  writeLength(bytes, writeLength(bytes, 0, columns), rows)
  return bytes
}

/** Size of a block's first bytes. */
export function countsBytes(columns: number, rows: number): number {
  return lengthSize(columns) + lengthSize(rows)
}

function lengthBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(lengthSize(length))
  writeLength(bytes, 0, length)
  return bytes
}

function prefixed(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  return Buffer.concat([lengthBytes(bytes.length), bytes])
}
