import {
  INGEST_ENTRANCE,
  type IngestRequest,
  type LineBatch,
  lineBatchType,
} from '../../../schemas/log/line-batch.ts'
import type { TextColumnBuilder } from './text-column-builder.ts'
import { scanTexts } from './text-lengths.ts'

/** Members of lines whose values are words that a batch contains once. */
export const WORD_MEMBERS = ['host', 'app', 'level', 'env', 'file'] as const
export type WordMember = (typeof WORD_MEMBERS)[number]

/** Words of one member, by line. */
export interface WordColumn {
  /** Number of each line's word. */
  readonly numbers: Uint32Array
  /** Words by number; empty: a line with it does not have the member. */
  readonly words: readonly string[]
}

/**
 * Read access to a decoded batch without an object per line. Text offsets are found by one scan of the length prefixes,
 * and only for the columns that are read.
 */
export class LineBatchView {
  readonly account: string
  readonly entrance: string
  /**
   * Whether it came through a gateway route: each line is then the JSON text of a message, and `metadataText` has the
   * metadata.
   */
  readonly isPushed: boolean
  readonly requests: readonly IngestRequest[]
  readonly count: number
  /**
   * Whether the values in its texts keep the order of their keys and numbers beyond a double, as they have from the
   * fifth behaviour on.
   */
  readonly isExact: boolean
  /** The line column's bytes: line `i` is `lineBytes[lineStart(i)] … lineBytes[lineEnd(i) - 1]`, UTF-8. */
  readonly lineBytes: Buffer
  readonly #dictionary: readonly string[]
  readonly #hostIndex: Uint32Array
  readonly #appIndex: Uint32Array
  readonly #levelIndex: Uint32Array
  readonly #envIndex: Uint32Array
  readonly #fileIndex: Uint32Array
  readonly #timestampMs: Float64Array
  readonly #timestampKind: Uint8Array
  readonly #lines: TextColumnView
  readonly #meta: TextColumnView
  readonly #rest: TextColumnView
  readonly #requestOf: Uint32Array
  #hosts: WordColumn | undefined

  constructor(batch: LineBatch, isExact = true) {
    this.isExact = isExact
    this.account = batch.account
    this.entrance = batch.route
    this.isPushed = batch.route !== INGEST_ENTRANCE
    this.requests = batch.requests
    this.count = batch.count
    this.#dictionary = batch.dictionary
    this.#hostIndex = uint32Column(batch.hostIndex, batch.count)
    this.#appIndex = uint32Column(batch.appIndex, batch.count)
    this.#levelIndex = uint32Column(batch.levelIndex, batch.count)
    this.#envIndex = uint32Column(batch.envIndex, batch.count)
    this.#fileIndex = uint32Column(batch.fileIndex, batch.count)
    this.#timestampMs = float64Column(batch.timestampMs, batch.count)
    this.#timestampKind = batch.timestampKind.length === 0 ? zeroBytes(batch.count) : batch.timestampKind
    this.#lines = textColumn(batch.line, batch.count)
    this.#meta = textColumn(batch.meta, batch.count)
    this.#rest = textColumn(batch.rest, batch.count)
    this.lineBytes = this.#lines.bytes
    this.#requestOf = requestColumn(batch)
  }

  static decode(bytes: Buffer, isExact = true): LineBatchView {
    return new LineBatchView(lineBatchType.decode(bytes), isExact)
  }

  lineStart(index: number): number {
    return this.#lines.start(index)
  }

  lineEnd(index: number): number {
    return this.#lines.end(index)
  }

  lineText(index: number): string {
    return this.#lines.text(index)
  }

  /** The request of a line. */
  request(index: number): IngestRequest {
    return this.requests[this.#requestOf[index] as number] as IngestRequest
  }

  /** JSON text of the metadata of an event, in a batch that `isPushed`; empty: the event has no metadata. */
  metadataText(index: number): string {
    return this.request(index).hostname
  }

  /** JSON text of a `Refusal`, in a batch that `isPushed`; empty: the row is an event. */
  refusalText(index: number): string {
    return this.isPushed ? this.#rest.text(index) : ''
  }

  /** The line's own host, or the hostname of its request. */
  host(index: number): string {
    return this.ownHost(index) || this.request(index).hostname
  }

  /** Host that was sent with the line; empty when there was none. */
  ownHost(index: number): string {
    return this.#word(this.#hostIndex[index] as number)
  }

  /** App that was sent with the line; empty when there was none. The same holds for level, env and file. */
  app(index: number): string {
    return this.#word(this.#appIndex[index] as number)
  }

  level(index: number): string {
    return this.#word(this.#levelIndex[index] as number)
  }

  env(index: number): string {
    return this.#word(this.#envIndex[index] as number)
  }

  file(index: number): string {
    return this.#word(this.#fileIndex[index] as number)
  }

  /** Words of a member. The host is that of `host`. */
  wordsOf(member: WordMember): WordColumn {
    switch (member) {
      case 'host':
        this.#hosts ??= this.#hostColumn()
        return this.#hosts
      case 'app':
        return { numbers: this.#appIndex, words: this.#dictionary }
      case 'level':
        return { numbers: this.#levelIndex, words: this.#dictionary }
      case 'env':
        return { numbers: this.#envIndex, words: this.#dictionary }
      case 'file':
        return { numbers: this.#fileIndex, words: this.#dictionary }
    }
  }

  /** Hostnames of requests follow the words of the batch. */
  #hostColumn(): WordColumn {
    const words = [...this.#dictionary, ...this.requests.map(({ hostname }) => hostname)]
    const numbers = this.#hostIndex.slice()
    for (let index = 0; index < this.count; index++)
      if (this.ownHost(index) === '')
        numbers[index] = this.#dictionary.length + (this.#requestOf[index] as number)
    return { numbers, words }
  }

  timestampMs(index: number): number {
    return this.#timestampMs[index] as number
  }

  timestampKind(index: number): number {
    return this.#timestampKind[index] as number
  }

  /** JSON text of meta as sent; empty without meta. */
  metaText(index: number): string {
    return this.#meta.text(index)
  }

  metaBytes(index: number): number {
    return this.#meta.end(index) - this.#meta.start(index)
  }

  /** Size of its text and its meta, as stored here. */
  bytes(index: number): number {
    return this.lineEnd(index) - this.lineStart(index) + this.metaBytes(index)
  }

  bytesOf(indexes: readonly number[]): number {
    return indexes.reduce((sum, index) => sum + this.bytes(index), 0)
  }

  /** JSON text of the rare members, with all digits of numbers; empty without such members. */
  restText(index: number): string {
    return this.#rest.text(index)
  }

  /** Appends the three texts of a line unchanged to columns that are being built. */
  copyTexts(index: number, line: TextColumnBuilder, meta: TextColumnBuilder, rest: TextColumnBuilder): void {
    this.#lines.copy(index, line)
    this.#meta.copy(index, meta)
    this.#rest.copy(index, rest)
  }

  #word(index: number): string {
    return this.#dictionary[index] as string
  }
}

/** A column of length-prefixed UTF-8 texts; an empty column stands for empty texts. */
class TextColumnView {
  readonly bytes: Buffer
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array
  readonly #empty: boolean

  constructor(bytes: Uint8Array, count: number) {
    this.bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#empty = bytes.length === 0
    this.#starts = new Uint32Array(this.#empty ? 0 : count)
    this.#ends = new Uint32Array(this.#empty ? 0 : count)
    if (!this.#empty) scanTexts(this.bytes, this.#starts, this.#ends)
  }

  start(index: number): number {
    return this.#empty ? 0 : (this.#starts[index] as number)
  }

  end(index: number): number {
    return this.#empty ? 0 : (this.#ends[index] as number)
  }

  text(index: number): string {
    if (this.#empty) return ''
    const start = this.#starts[index] as number
    const end = this.#ends[index] as number
    return start === end ? '' : this.bytes.toString('utf8', start, end)
  }

  copy(index: number, target: TextColumnBuilder): void {
    const start = this.start(index)
    const end = this.end(index)
    if (start === end) target.appendEmpty()
    else target.append(this.bytes, start, end)
  }
}

/**
 * Below this number of rows, equal parts of batches are shared: such a batch is often one of many with one held event
 * each.
 */
const FEW_ROWS = 16
const FEW_ZEROS = new Uint32Array(FEW_ROWS)
const FEW_ZERO_BYTES = new Uint8Array(FEW_ROWS)

const NO_TEXTS = new TextColumnView(Buffer.alloc(0), 0)

function textColumn(bytes: Uint8Array, count: number): TextColumnView {
  return bytes.length === 0 ? NO_TEXTS : new TextColumnView(bytes, count)
}

function zeros(count: number): Uint32Array {
  return count <= FEW_ROWS ? FEW_ZEROS : new Uint32Array(count)
}

function zeroBytes(count: number): Uint8Array {
  return count <= FEW_ROWS ? FEW_ZERO_BYTES : new Uint8Array(count)
}

function requestColumn(batch: LineBatch): Uint32Array {
  if (batch.requests.length <= 1) return zeros(batch.count)
  const column = new Uint32Array(batch.count)
  let at = 0
  for (const [index, request] of batch.requests.entries()) {
    column.fill(index, at, at + request.lines)
    at += request.lines
  }
  return column
}

function uint32Column(bytes: Uint8Array, count: number): Uint32Array {
  if (bytes.length === 0) return zeros(count)
  return count <= FEW_ROWS ? few(new Uint32Array(count), bytes) : new Uint32Array(aligned(bytes), 0, count)
}

function float64Column(bytes: Uint8Array, count: number): Float64Array {
  if (bytes.length === 0) return new Float64Array(count)
  return count <= FEW_ROWS ? few(new Float64Array(count), bytes) : new Float64Array(aligned(bytes), 0, count)
}

/** V8 stores a few numbers within the column's object; a buffer of their own would be two more objects. */
function few<Column extends Uint32Array | Float64Array>(column: Column, bytes: Uint8Array): Column {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const size = column.BYTES_PER_ELEMENT
  for (let index = 0; index < column.length; index++)
    column[index] = size === 8 ? view.getFloat64(index * 8, true) : view.getUint32(index * 4, true)
  return column
}

/** A typed array needs an aligned start, which a slice of a record rarely has. */
function aligned({ buffer, byteOffset, length }: Uint8Array): ArrayBufferLike {
  return buffer.slice(byteOffset, byteOffset + length)
}
