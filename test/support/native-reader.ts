/** Reads back one block of ClickHouse's Native format, of the types that Weir's tables use. */

export type NativeValue = string | number | bigint | NativeValue[] | [string, NativeValue][]

export interface NativeRows {
  readonly rows: readonly Readonly<Record<string, NativeValue>>[]
}

/** @param encoding of texts; latin1 keeps bytes that are not UTF-8 */
export function readNativeBlock(
  chunks: readonly Uint8Array[],
  encoding: 'utf8' | 'latin1' = 'utf8',
): NativeRows {
  const [only] = chunks
  const bytes = chunks.length === 1 && only instanceof Buffer ? only : Buffer.concat(chunks)
  const reader = new Reader(bytes, encoding)
  const columnCount = reader.length()
  const rowCount = reader.length()
  const rows: Record<string, NativeValue>[] = Array.from({ length: rowCount }, () => ({}))
  for (let column = 0; column < columnCount; column++) {
    const name = reader.text()
    const values = readColumn(reader, reader.text(), rowCount)
    for (const [index, row] of rows.entries()) row[name] = values[index] as NativeValue
  }
  if (!reader.atEnd) throw new Error('bytes are left after the last column')
  return { rows }
}

function readColumn(reader: Reader, type: string, rows: number): NativeValue[] {
  if (type.startsWith('LowCardinality')) {
    reader.skip(8)
    return readWords(reader, rows)
  }
  const [, element] = /^Array\((String|Float64)\)$/.exec(type) ?? []
  if (element !== undefined) {
    const ends = repeat(rows, () => Number(reader.uint64()))
    return slices(readColumn(reader, element, ends.at(-1) ?? 0), ends)
  }
  if (type.startsWith('Array')) {
    reader.skip(8)
    const ends = repeat(rows, () => Number(reader.uint64()))
    const words = readWords(reader, ends.at(-1) ?? 0)
    return slices(words, ends)
  }
  if (type.startsWith('Map')) {
    reader.skip(8)
    const ends = repeat(rows, () => Number(reader.uint64()))
    const entries = ends.at(-1) ?? 0
    const keys = readWords(reader, entries)
    const values = readColumn(reader, type.endsWith('Float64)') ? 'Float64' : 'String', entries)
    return slices(
      keys.map((key, index): NativeValue => [key, values[index] as NativeValue]),
      ends,
    )
  }
  if (type.startsWith('DateTime64')) return repeat(rows, () => Number(reader.int64()))
  switch (type) {
    case 'String':
      return repeat(rows, () => reader.text())
    case 'UInt16':
      return repeat(rows, () => reader.uint16())
    case 'UInt32':
      return repeat(rows, () => reader.uint32())
    case 'UInt64':
      return repeat(rows, () => reader.uint64())
    case 'Int64':
      return repeat(rows, () => reader.int64())
    case 'Float64':
      return repeat(rows, () => reader.float64())
  }
  throw new Error(`no reader for type ${type}`)
}

function readWords(reader: Reader, rows: number): string[] {
  if (rows === 0) return []
  const width = 1 << Number(reader.uint64() & 0xffn)
  const keys = repeat(Number(reader.uint64()), () => reader.text())
  const count = Number(reader.uint64())
  if (count !== rows) throw new Error(`${count} indexes for ${rows} rows`)
  return repeat(rows, () => keys[reader.uint(width)] as string)
}

function slices<T extends NativeValue>(values: readonly T[], ends: readonly number[]): T[][] {
  return ends.map((end, index) => values.slice(index === 0 ? 0 : ends[index - 1], end))
}

function repeat<T>(count: number, read: () => T): T[] {
  const values: T[] = []
  for (let index = 0; index < count; index++) values.push(read())
  return values
}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  readonly #encoding: BufferEncoding

  constructor(bytes: Buffer, encoding: BufferEncoding) {
    this.#bytes = bytes
    this.#encoding = encoding
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  skip(count: number): void {
    this.#at += count
  }

  length(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++] as number
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }

  text(): string {
    const end = this.length() + this.#at
    const text = this.#bytes.toString(this.#encoding, this.#at, end)
    this.#at = end
    return text
  }

  uint(width: number): number {
    const value = this.#bytes.readUIntLE(this.#at, width)
    this.#at += width
    return value
  }

  uint16(): number {
    return this.uint(2)
  }

  uint32(): number {
    return this.uint(4)
  }

  uint64(): bigint {
    this.#at += 8
    return this.#bytes.readBigUInt64LE(this.#at - 8)
  }

  int64(): bigint {
    this.#at += 8
    return this.#bytes.readBigInt64LE(this.#at - 8)
  }

  float64(): number {
    this.#at += 8
    return this.#bytes.readDoubleLE(this.#at - 8)
  }
}
