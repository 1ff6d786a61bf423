import { encodeLineBatch, type IngestRequest, TIMESTAMP_ABSENT } from '../../../schemas/log/line-batch.ts'
import type { LineBatchView, RawTexts } from './line-batch-view.ts'
import { TextColumnBuilder, type TextColumnMark } from './text-column-builder.ts'
import { WordTable } from './word-table.ts'

const FIRST_ROWS = 128
/** Generous size of header, account, entrance and the lengths of the columns. */
const FRAME_BYTES = 256
const REQUEST_BYTES = 64
/** One row's numbers: five word indexes, a time and its kind. */
const ROW_BYTES = 5 * 4 + 8 + 1

/** Facts of a request about its lines, before they are counted. */
export type RequestFacts = Omit<IngestRequest, 'lines'>

export interface AddedRequest<Filled> {
  /** Return value of the caller's function. */
  readonly filled: Filled
  /** Place of the request in the batch. */
  readonly index: number
  readonly lines: number
}

/** One line; texts that were not sent are empty. `line` is already cut, and words are within their limits. */
export interface NewLine {
  readonly line: Buffer
  readonly host: string
  readonly app: string
  readonly level: string
  readonly env: string
  readonly file: string
  readonly timestampMs: number
  readonly timestampKind: number
  readonly meta: string
  readonly rest: string
}

/** A line of a batch, its texts as bytes. */
export interface KeptLine extends Omit<NewLine, keyof RawTexts>, RawTexts {}

/** Rows of a text column within other bytes; an empty stretch stands for empty texts. */
export interface TextRows {
  readonly start: number
  readonly end: number
}

/** Lines that a reader has read into columns of its own. */
export interface LineColumns {
  readonly rows: number
  /** Memory with texts and words. */
  readonly bytes: Buffer
  readonly lines: TextRows
  readonly meta: TextRows
  readonly rest: TextRows
  /** Number of words, which are numbered from 1 on in the order in which they were met; 0 is the empty word. */
  readonly wordCount: number
  /** First byte and length of each word, at twice its number. */
  readonly words: Uint32Array
  /** Numbers of words by line. Columns may be longer than the lines. */
  readonly hosts: Uint32Array
  readonly apps: Uint32Array
  readonly levels: Uint32Array
  readonly envs: Uint32Array
  readonly files: Uint32Array
  readonly timestampMs: Float64Array
  readonly timestampKind: Uint8Array
}

/**
 * Grows the columns of a `LineBatch`. Requests of one account and entrance follow one another in it. The lines of one
 * request are either all in it or not at all. The buffers are used again for the next batch.
 */
export class LineBatchBuilder {
  readonly lines = new TextColumnBuilder()
  readonly meta = new TextColumnBuilder()
  readonly rest = new TextColumnBuilder()
  readonly words = new WordTable()
  #requests: IngestRequest[] = []
  #requestBytes = 0
  #count = 0
  #hosts = new IndexColumn()
  #apps = new IndexColumn()
  #levels = new IndexColumn()
  #envs = new IndexColumn()
  #files = new IndexColumn()
  readonly #indexes = [this.#hosts, this.#apps, this.#levels, this.#envs, this.#files]
  #timestampMs = new Float64Array(FIRST_ROWS)
  #timestampKind = new Uint8Array(FIRST_ROWS)
  #anyTimestamp = false

  /** Number of lines so far. */
  get count(): number {
    return this.#count
  }

  get requests(): number {
    return this.#requests.length
  }

  /** Size of the record as it would be encoded now; may be some bytes too high, never too low. */
  get bytes(): number {
    const rows = this.#count
    let perRow = 8 + (this.#anyTimestamp ? 1 : 0)
    for (const column of this.#indexes) if (column.used) perRow += 4
    return (
      this.lines.length +
      this.meta.length +
      this.rest.length +
      this.words.bytes +
      this.words.count * 5 +
      rows * perRow +
      this.#requestBytes +
      FRAME_BYTES
    )
  }

  /** Capacity of the columns. */
  get capacityBytes(): number {
    const texts = this.lines.bytes.length + this.meta.bytes.length + this.rest.bytes.length
    return texts + this.#timestampMs.length * ROW_BYTES
  }

  /**
   * Appends one request. `fill` adds its lines; if it throws, the batch is unchanged.
   *
   * A request without lines leaves no trace.
   */
  addRequest<Filled extends { readonly facts: RequestFacts }>(
    fill: (batch: LineBatchBuilder) => Filled,
  ): AddedRequest<Filled> {
    const mark = this.mark()
    try {
      const filled = fill(this)
      const lines = this.#count - mark.count
      const index = this.#requests.length
      if (lines === 0) this.rollBack(mark)
      else this.#noteRequest({ ...filled.facts, lines })
      return { filled, index, lines }
    } catch (error) {
      this.rollBack(mark)
      throw error
    }
  }

  add(line: NewLine): void {
    this.lines.append(line.line, 0, line.line.length)
    this.meta.appendText(line.meta)
    this.rest.appendText(line.rest)
    const { words } = this
    this.finishLine(
      words.internText(line.host),
      words.internText(line.app),
      words.internText(line.level),
      words.internText(line.env),
      words.internText(line.file),
      line.timestampMs,
      line.timestampKind,
    )
  }

  /** Adds an event of a gateway route. @param message JSON text @param refusal see `LineBatchView.refusalText` */
  addEvent(message: string, timestampMs: number, refusal = ''): void {
    this.lines.appendText(message)
    this.meta.appendEmpty()
    this.rest.appendText(refusal)
    this.finishLine(0, 0, 0, 0, 0, timestampMs, TIMESTAMP_ABSENT)
  }

  /** Adds a line that was kept apart from its batch. */
  addKept(line: KeptLine): void {
    this.lines.appendRaw(line.line)
    this.meta.appendRaw(line.meta)
    this.rest.appendRaw(line.rest)
    const { words } = this
    this.finishLine(
      words.internText(line.host),
      words.internText(line.app),
      words.internText(line.level),
      words.internText(line.env),
      words.internText(line.file),
      line.timestampMs,
      line.timestampKind,
    )
  }

  /** Adds a line of another batch unchanged. */
  copy(source: LineBatchView, index: number): void {
    const { words } = this
    source.copyTexts(index, this.lines, this.meta, this.rest)
    this.finishLine(
      words.internText(source.ownHost(index)),
      words.internText(source.app(index)),
      words.internText(source.level(index)),
      words.internText(source.env(index)),
      words.internText(source.file(index)),
      source.timestampMs(index),
      source.timestampKind(index),
    )
  }

  /** Adds all lines of another batch, without its requests. */
  addAll(other: LineBatchBuilder): void {
    this.lines.appendAll(other.lines)
    this.meta.appendAll(other.meta)
    this.rest.appendAll(other.rest)
    const words = this.words.internAll(other.words)
    const wordIn = (column: IndexColumn, row: number) => words[column.at(row)] as number
    for (let row = 0; row < other.#count; row++)
      this.finishLine(
        wordIn(other.#hosts, row),
        wordIn(other.#apps, row),
        wordIn(other.#levels, row),
        wordIn(other.#envs, row),
        wordIn(other.#files, row),
        other.#timestampMs[row] as number,
        other.#timestampKind[row] as number,
      )
  }

  /** Adds lines that a reader has read. The record is the same as if each had been added by itself. */
  addColumns(added: LineColumns): void {
    const { rows, bytes } = added
    addTexts(this.lines, bytes, added.lines, rows)
    addTexts(this.meta, bytes, added.meta, rows)
    addTexts(this.rest, bytes, added.rest, rows)
    const words = this.words.internNumbered(bytes, added.words, added.wordCount)
    const first = this.#count
    this.#count += rows
    while (this.#count > this.#timestampMs.length) this.#growRows()
    this.#hosts.setAll(first, added.hosts, rows, words)
    this.#apps.setAll(first, added.apps, rows, words)
    this.#levels.setAll(first, added.levels, rows, words)
    this.#envs.setAll(first, added.envs, rows, words)
    this.#files.setAll(first, added.files, rows, words)
    for (let row = 0; row < rows; row++) {
      const kind = added.timestampKind[row] as number
      this.#timestampMs[first + row] = added.timestampMs[row] as number
      this.#timestampKind[first + row] = kind
      if (kind !== TIMESTAMP_ABSENT) this.#anyTimestamp = true
    }
  }

  /** Adds the numbers of a line whose three texts were appended to the columns; the words are indexes. */
  finishLine(
    host: number,
    app: number,
    level: number,
    env: number,
    file: number,
    timestampMs: number,
    timestampKind: number,
  ): void {
    const row = this.#count++
    if (row === this.#timestampMs.length) this.#growRows()
    this.#hosts.set(row, host)
    this.#apps.set(row, app)
    this.#levels.set(row, level)
    this.#envs.set(row, env)
    this.#files.set(row, file)
    this.#timestampMs[row] = timestampMs
    this.#timestampKind[row] = timestampKind
    if (timestampKind !== TIMESTAMP_ABSENT) this.#anyTimestamp = true
  }

  mark(): BatchMark {
    return {
      count: this.#count,
      requests: this.#requests.length,
      requestBytes: this.#requestBytes,
      words: this.words.count,
      lines: this.lines.mark(),
      meta: this.meta.mark(),
      rest: this.rest.mark(),
      used: this.#indexes.map(column => column.used),
      anyTimestamp: this.#anyTimestamp,
    }
  }

  rollBack(mark: BatchMark): void {
    this.#count = mark.count
    this.#requests.length = mark.requests
    this.#requestBytes = mark.requestBytes
    this.words.truncate(mark.words)
    this.lines.rollBack(mark.lines)
    this.meta.rollBack(mark.meta)
    this.rest.rollBack(mark.rest)
    for (const [index, column] of this.#indexes.entries()) column.used = mark.used[index] === true
    this.#anyTimestamp = mark.anyTimestamp
  }

  /** The record's value: a copy, so that the builder can continue at once. */
  encode(account: string, entrance: string): Buffer {
    const rows = this.#count
    const batch = {
      account,
      route: entrance,
      requests: this.#requests,
      count: rows,
      dictionary: this.words.texts(),
      hostIndex: this.#hosts.view(rows),
      appIndex: this.#apps.view(rows),
      levelIndex: this.#levels.view(rows),
      envIndex: this.#envs.view(rows),
      fileIndex: this.#files.view(rows),
      timestampMs: bytesOf(this.#timestampMs, rows),
      timestampKind: bytesOf(this.#timestampKind, this.#anyTimestamp ? rows : 0),
      line: this.lines.view(),
      meta: this.meta.view(),
      rest: this.rest.view(),
    }
    return encodeLineBatch(batch, this.bytes)
  }

  clear(): void {
    this.rollBack(EMPTY)
  }

  #noteRequest(request: IngestRequest): void {
    this.#requests.push(request)
    this.#requestBytes += REQUEST_BYTES + 3 * (request.hostname.length + request.remoteAddress.length)
    this.#requestBytes += request.mac.length + request.ip.length + (request.idempotency?.key.length ?? 0)
    for (const tag of request.tags) this.#requestBytes += 3 * tag.length + 5
  }

  #growRows(): void {
    const rows = this.#timestampMs.length * 2
    const timestampMs = new Float64Array(rows)
    timestampMs.set(this.#timestampMs)
    this.#timestampMs = timestampMs
    const timestampKind = new Uint8Array(rows)
    timestampKind.set(this.#timestampKind)
    this.#timestampKind = timestampKind
    for (const column of this.#indexes) column.grow(rows)
  }
}

export interface BatchMark {
  readonly count: number
  readonly requests: number
  readonly requestBytes: number
  readonly words: number
  readonly lines: TextColumnMark
  readonly meta: TextColumnMark
  readonly rest: TextColumnMark
  readonly used: readonly boolean[]
  readonly anyTimestamp: boolean
}

const NO_TEXT: TextColumnMark = { rows: 0, length: 0, allEmpty: true }
const EMPTY: BatchMark = {
  count: 0,
  requests: 0,
  requestBytes: 0,
  words: 1,
  lines: NO_TEXT,
  meta: NO_TEXT,
  rest: NO_TEXT,
  used: [],
  anyTimestamp: false,
}

/**
 * Word indexes of the rows; left out of the record when every row has none. Unlike a `UInt32Column`, which gives its buffer
 * away, it can be rolled back, and grows with the other columns of the batch.
 */
class IndexColumn {
  used = false
  #values = new Uint32Array(FIRST_ROWS)

  set(row: number, index: number): void {
    this.#values[row] = index
    if (index !== 0) this.used = true
  }

  /** @param words index of each number */
  setAll(first: number, numbers: Uint32Array, rows: number, words: Uint32Array): void {
    const values = this.#values
    let any = 0
    for (let row = 0; row < rows; row++) {
      const index = words[numbers[row] as number] as number
      values[first + row] = index
      any |= index
    }
    if (any !== 0) this.used = true
  }

  at(row: number): number {
    return this.#values[row] as number
  }

  grow(rows: number): void {
    const values = new Uint32Array(rows)
    values.set(this.#values)
    this.#values = values
  }

  view(rows: number): Buffer {
    return bytesOf(this.#values, this.used ? rows : 0)
  }
}

function addTexts(column: TextColumnBuilder, bytes: Buffer, { start, end }: TextRows, rows: number): void {
  if (start === end) column.appendEmptyRows(rows)
  else column.appendRows(bytes, start, end, rows)
}

/** Typed arrays are little endian on every machine that Node 24 runs on but one (s390x). */
function bytesOf(values: Uint8Array | Uint32Array | Float64Array, rows: number): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, rows * values.BYTES_PER_ELEMENT)
}
