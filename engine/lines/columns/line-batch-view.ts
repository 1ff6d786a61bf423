import {
  INGEST_ENTRANCE,
  type IngestRequest,
  type LineBatch,
  lineBatchType,
} from '../../../schemas/log/line-batch.ts'
import type { TextColumnBuilder } from './text-column-builder.ts'
import { type TextColumnView, textColumn } from './text-column-view.ts'
import { PRESENT_FORMS, type ValueForms } from './value-forms.ts'

/** Members of lines whose values are words that a batch contains once. */
export const WORD_MEMBERS = ['host', 'app', 'level', 'env', 'file'] as const
export type WordMember = (typeof WORD_MEMBERS)[number]

/** Words of one member, by line. */
export interface WordsByLine {
  /** Number of each line's word. */
  readonly numbers: Uint32Array
  /** Words by number; empty: a line with it does not have the member. */
  readonly words: readonly string[]
}

/** Texts of a line as bytes in UTF-8, one code unit per byte; an empty one stands for an empty text. */
export interface RawTexts {
  readonly line: string
  readonly meta: string
  readonly rest: string
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
  /** Forms of the values that are read from it. */
  readonly forms: ValueForms
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
  #hosts: WordsByLine | undefined

  constructor(batch: LineBatch, forms = PRESENT_FORMS) {
    this.forms = forms
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

  static decode(bytes: Buffer, forms = PRESENT_FORMS): LineBatchView {
    return new LineBatchView(lineBatchType.decode(bytes), forms)
  }

  /** Whether lines have texts, and none has meta or rare members. */
  get hasTextsAlone(): boolean {
    return !this.#lines.areEmpty && this.#meta.areEmpty && this.#rest.areEmpty
  }

  /** `lineStart` of all lines, if they have texts. */
  get lineStarts(): Uint32Array {
    return this.#lines.starts
  }

  /** `lineEnd` of all lines, if they have texts. */
  get lineEnds(): Uint32Array {
    return this.#lines.ends
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
  wordsOf(member: WordMember): WordsByLine {
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
  #hostColumn(): WordsByLine {
    const words = [...this.#dictionary, ...this.requests.map(({ hostname }) => hostname)]
    const numbers = this.#hostIndex.slice()
    for (let index = 0; index < this.count; index++)
      if (this.ownHost(index) === '')
        numbers[index] = this.#dictionary.length + (this.#requestOf[index] as number)
    return { numbers, words }
  }

  /** `timestampMs` of all lines. */
  get timestampsMs(): Float64Array {
    return this.#timestampMs
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
    let sum = 0
    for (let at = 0; at < indexes.length; at++) sum += this.bytes(indexes[at] as number)
    return sum
  }

  /** JSON text of the rare members, with all digits of numbers; empty without such members. */
  restText(index: number): string {
    return this.#rest.text(index)
  }

  /** Size of `restText` in bytes. */
  rareBytes(index: number): number {
    return this.#rest.end(index) - this.#rest.start(index)
  }

  /** The three texts of a line as bytes, one code unit per byte. */
  rawTexts(index: number): RawTexts {
    return { line: this.#lines.raw(index), meta: this.#meta.raw(index), rest: this.#rest.raw(index) }
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

/**
 * Below this number of rows, equal parts of batches are shared: such a batch is often one of many with one held event
 * each.
 */
const FEW_ROWS = 16
const FEW_ZEROS = new Uint32Array(FEW_ROWS)
const FEW_ZERO_BYTES = new Uint8Array(FEW_ROWS)

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
