import { Event } from '../event/event.ts'
import { BEYOND_BUDGET, type EventMeter } from '../expressions/cost-meter.ts'
import type { NotDelivered } from '../graph/compiled-node.ts'
import type { LineBatchView } from '../lines/columns/line-batch-view.ts'
import { fillingAll, type LineCodec } from '../lines/line-codec.ts'
import type { LineColumns } from '../lines/native-block/line-block.ts'
import { hostAsSent, type OwnStoreContext, storedApp } from '../lines/stored-line/line-draft.ts'
import type { FieldNames } from '../lines/stored-line/line-fields.ts'
import { newStoredLine, type StoredLine } from '../lines/stored-line/stored-line.ts'
import { wasmCodec } from '../lines/wasm/wasm-codec.ts'
import type { DeliveryFailure, LineHead, OwnStoreSink } from '../nodes/contract/own-store.ts'
import { EVENT_UNITS, MEMBER_BYTE_UNITS, type Steps } from '../steps.ts'
import type { FoldMoment } from './fold-moment.ts'
import type { NodeName } from './node-activity.ts'
import type { AccountRules } from './rules/account-rules.ts'
import type { PartitionName } from './run-watch.ts'
import type { OpenTables } from './tables/open-tables.ts'
import { TextRun } from './text-run.ts'

/** The account to which stored lines belong. */
export interface LineOwner {
  readonly account: string
  readonly retentionDays: number
  readonly fieldNames: FieldNames
  readonly rules: AccountRules
  /** Counts the cost of the rules on one line. */
  ruleMeter(moment: FoldMoment): EventMeter
}

/** Events that arrive together at one own store, in order. */
export interface LineRun {
  readonly sink: OwnStoreSink
  readonly owner: LineOwner
  /** Node under which they are counted. */
  readonly node: NodeName
  readonly events: readonly Event[]
  /** Receives the events that are not stored. */
  readonly left: NotDelivered
}

/** Lines of a record that are stored as they were sent, by a sink without options. */
export interface SentLines {
  readonly sink: OwnStoreSink
  readonly owner: LineOwner
  readonly batch: LineBatchView
  /** Ascending. */
  readonly indexes: readonly number[]
}

/**
 * Turns events into lines of the own store, by runs, and puts them into the open batch of the partition. The codec reads
 * lines together if their level and fields follow from the sent text and no rule judges each line.
 */
export class LineOutput {
  readonly #place: PartitionName
  readonly #moment: FoldMoment
  readonly #tables: OpenTables
  readonly #stores: boolean
  readonly #codec: LineCodec
  readonly #line: StoredLine = newStoredLine()
  readonly #texts = new TextRun()
  /** Hosts and apps of the lines of a batch that are being stored, by index. */
  readonly #hosts: string[] = []
  readonly #apps: string[] = []

  /** @param stores false: lines are judged and counted, but not added to a batch */
  constructor(
    place: PartitionName,
    moment: FoldMoment,
    tables: OpenTables,
    stores: boolean,
    codec: LineCodec = wasmCodec,
  ) {
    this.#codec = codec
    this.#place = place
    this.#moment = moment
    this.#tables = tables
    this.#stores = stores
  }

  *deliver(run: LineRun): Steps {
    const moment = this.#moment
    const { stretch } = moment
    const { owner, sink } = run
    const context = this.#contextOf(owner)
    for (const event of run.events) {
      const row = moment.nextRow()
      const isLong = event.bytes + event.rareBytes >= LONG_BYTES
      const refusal = this.#refusal(row, run)
      let failure = refusal
      if (refusal === undefined && isLong) {
        yield
        failure = yield* sink.fillingHead(event, this.#line, context)
        yield
      } else failure ??= sink.fillHead(event, this.#line, context)
      if (failure !== undefined) this.#report(failure, event, run)
      const isFilled = failure === undefined
      const isReadAtOnce = isFilled && this.#stores && !owner.rules.anyHold && sink.head.isSentTextAlone
      if (isFilled) {
        if (this.#mustReadBefore(isReadAtOnce)) yield* this.#readingTexts(owner)
        if (isReadAtOnce) this.#appendText(event, row, run)
        else if (isLong) {
          yield* sink.fillingFields(this.#line, context)
          yield
          yield* this.#appendingAlone(event, row, run)
        } else {
          sink.fillFields(this.#line, context)
          this.#appendAlone(event, row, run)
        }
      }
      const { sizeBytes, extra } = this.#line
      stretch.left -= EVENT_UNITS + extra.length * MEMBER_BYTE_UNITS
      stretch.left -= isReadAtOnce ? sizeBytes >> READ_AT_ONCE_BITS : sizeBytes * MEMBER_BYTE_UNITS
      if (stretch.left > 0) continue
      yield* this.#readingTexts(owner)
      yield
      stretch.begin()
    }
    yield* this.#readingTexts(owner)
  }

  /** Whether `storeTogether` may take lines of the present record. It does not, if each must be judged or shown. */
  storesTogether({ rules }: LineOwner, batch: LineBatchView, lines: number): boolean {
    const moment = this.#moment
    return (
      this.#stores &&
      !rules.anyHold &&
      batch.hasTextsAlone &&
      moment.watch?.stored === undefined &&
      lines > 0 &&
      !moment.isBeyondRecord(moment.row + lines - 1)
    )
  }

  /**
   * Stores lines like `deliver` stores their events. Neighbours that share most members are appended column by column,
   * without an event per line.
   */
  *storeTogether({ sink, owner, batch, indexes }: SentLines): Steps {
    const { stretch } = this.#moment
    const context = this.#contextOf(owner)
    for (let at = 0; at < indexes.length; ) {
      const first = indexes[at] as number
      const end = this.#endOfSimilar(batch, indexes, at)
      const failure = sink.fillHead(Event.ofLine(batch, first), this.#line, context)
      if (failure !== undefined) throw new Error(`a line as it was sent is not stored: ${failure.message}`)
      this.#appendSimilar(batch, first, first + end - at, sink.head)
      at = end
      if (stretch.left > 0) continue
      yield* this.#readingTexts(owner)
      yield
      stretch.begin()
    }
    yield* this.#readingTexts(owner)
  }

  #contextOf({ account, retentionDays, fieldNames }: LineOwner): OwnStoreContext {
    const { timeMs, behaviour } = this.#moment
    return { account, timeMs, retentionDays, poolDays: 0, fieldNames, behaviour }
  }

  /**
   * End of the lines, from one on, that follow each other in their request and share file and environment. They end with the
   * present stretch, whose units are counted.
   */
  #endOfSimilar(batch: LineBatchView, indexes: readonly number[], from: number): number {
    const { stretch } = this.#moment
    const first = indexes[from] as number
    const request = batch.request(first)
    const files = batch.wordsOf('file').numbers
    const envs = batch.wordsOf('env').numbers
    let at = from
    for (; at < indexes.length && (at === from || stretch.left > 0); at++) {
      const index = first + at - from
      const isSimilar =
        indexes[at] === index &&
        files[index] === files[first] &&
        envs[index] === envs[first] &&
        batch.request(index) === request
      if (!isSimilar) break
      stretch.left -= TOGETHER_UNITS + (batch.bytes(index) >> READ_AT_ONCE_BITS)
    }
    return at
  }

  /** Appends lines whose first one is filled: heads at once, texts when the codec reads them. */
  #appendSimilar(batch: LineBatchView, from: number, to: number, head: LineHead): void {
    const { offset, timeMs, behaviour } = this.#moment
    const { lines } = this.#tables
    const [line, texts, hosts, apps] = [this.#line, this.#texts, this.#hosts, this.#apps]
    const firstRow = this.#moment.nextRows(to - from)
    texts.bytes = batch.lineBytes
    const { lineStarts: starts, lineEnds: ends } = batch
    let sentApp = batch.app(from)
    let app = line.app
    for (let index = from; index < to; index++) {
      if (batch.app(index) !== sentApp) {
        sentApp = batch.app(index)
        app = storedApp(sentApp, line.file)
      }
      hosts[index] = hostAsSent(batch, index)
      apps[index] = app
      const row = firstRow + index - from
      texts.add(row, starts[index] as number, ends[index] as number, batch.level(index), app, head.own)
    }
    lines.begin(timeMs, behaviour)
    const heads = { line, from, to, timestampMs: batch.timestampsMs, hosts, apps, starts, ends }
    lines.appendHeads({ offset, row: firstRow }, heads)
  }

  /** Reports that an event gives no line. */
  #report(failure: DeliveryFailure, event: Event, { node, left }: LineRun): void {
    const error = { nodeId: node.node, kind: 'destination' as const, ...failure, event }
    this.#tables.minute.activity.addError(node, error, this.#moment)
    left.failed(error)
  }

  /**
   * Whether the texts that wait are read before the line whose head was filled, because names of fields are accepted in the order
   * of lines.
   *
   * @param isReadAtOnce whether the codec reads the line with its neighbours
   */
  #mustReadBefore(isReadAtOnce: boolean): boolean {
    const { rows, bytes } = this.#texts
    return rows > 0 && !(isReadAtOnce && bytes === this.#line.textBytes)
  }

  /** Appends a line whose members were read one by one, unless a rule excludes it. */
  #appendAlone(event: Event, row: number, run: LineRun): void {
    const moment = this.#moment
    const { owner, node } = run
    if (this.#isExcluded(event, row, run)) return
    if (this.#stores) {
      this.#tables.lines.begin(moment.timeMs, moment.behaviour) // windows end with records of any kind
      this.#tables.lines.append({ offset: moment.offset, row }, this.#line)
      this.#noteFull(row, owner)
    }
    moment.watch?.stored?.(event, node, row)
  }

  /** Like `appendAlone`, in steps. */
  *#appendingAlone(event: Event, row: number, run: LineRun): Steps {
    const moment = this.#moment
    const { owner, node } = run
    if (this.#isExcluded(event, row, run)) return
    if (this.#stores) {
      this.#tables.lines.begin(moment.timeMs, moment.behaviour)
      yield* this.#tables.lines.appending({ offset: moment.offset, row }, this.#line)
      this.#noteFull(row, owner)
    }
    moment.watch?.stored?.(event, node, row)
  }

  /** Whether a rule excludes the filled line of an event, which is reported. */
  #isExcluded(event: Event, row: number, { owner, node, left }: LineRun): boolean {
    if (!owner.rules.anyHold) return false
    const moment = this.#moment
    const { topic, partition } = this.#place
    const judging = { bytes: event.bytes, meter: owner.ruleMeter(moment), behaviour: moment.behaviour }
    const place = { topic, partition, offset: moment.offset, row }
    const exclusion = owner.rules.judge(this.#line, place, judging)
    if (exclusion === undefined) return false
    moment.watch?.excluded?.(event, node, exclusion)
    left.dropped(event, exclusion.reason)
    return true
  }

  /** Reason why an event gives no line, whatever it contains. */
  #refusal(row: number, { sink, owner }: LineRun): DeliveryFailure | undefined {
    if (this.#moment.isBeyondRecord(row)) return TOO_MANY_LINES
    if (sink.renderingUnits === 0) return undefined
    try {
      owner.ruleMeter(this.#moment).work(sink.renderingUnits)
      return undefined
    } catch (error) {
      if (error !== BEYOND_BUDGET) throw error
      return TOO_MUCH_RENDERING
    }
  }

  /** Notes the first line of a day that lost a name of a field. */
  #noteFull(row: number, { account, fieldNames }: LineOwner): void {
    const { offset, timeMs, isExact } = this.#moment
    if (isExact && fieldNames.takeFull() !== undefined)
      this.#tables.fullDays.add({ offset, row, account, timeMs })
  }

  /** Appends the head of a line. The codec reads its text later, together with those of its neighbours. */
  #appendText(event: Event, row: number, { node, sink }: LineRun): void {
    const moment = this.#moment
    const { textBytes, textStart, textEnd, app } = this.#line
    const { level, own } = sink.head
    const { lines } = this.#tables
    const texts = this.#texts
    texts.bytes = textBytes as Buffer
    texts.add(row, textStart, textEnd, level, app, own)
    lines.begin(moment.timeMs, moment.behaviour)
    lines.appendHead({ offset: moment.offset, row }, this.#line)
    moment.watch?.stored?.(event, node, row)
  }

  /** Makes the codec append levels and fields of the lines whose heads were appended. */
  *#readingTexts({ account, fieldNames }: LineOwner): Steps {
    const texts = this.#texts
    if (texts.rows === 0) return
    const { timeMs, isExact, offset, stretch } = this.#moment
    const { lines, fullDays } = this.#tables
    texts.account = account
    texts.timeMs = timeMs
    texts.isExact = isExact
    fieldNames.beginRun()
    yield* fillingAll(this.#codec, texts, fieldNames, lines.fields as LineColumns, stretch)
    texts.rows = 0
    const full = isExact ? fieldNames.takeFull() : undefined
    if (full !== undefined) fullDays.add({ offset, row: texts.rowOf(full), account, timeMs })
  }
}

/** Units of a line that is stored together with others, in addition to those for its bytes. */
const TOGETHER_UNITS = 40
/** Size of an event and its rare members that take some milliseconds to print, to find fields in, and to append. */
const LONG_BYTES = 64 * 1024
/** Binary logarithm of the bytes of a line that are read per unit: 8. */
const READ_AT_ONCE_BITS = 3

const TOO_MUCH_RENDERING: DeliveryFailure = {
  code: 'E_EXPRESSION_COST',
  field: null,
  message:
    'The options of the destination took more work on one event than is free, and the account has no more saved up: use fewer tags and references.',
}

const TOO_MANY_LINES: DeliveryFailure = {
  code: 'E_DELIVERY_FAILED',
  field: null,
  message: 'one record yields too many lines',
}
