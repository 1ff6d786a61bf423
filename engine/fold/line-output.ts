import type { Position } from '../../schemas/log/position.ts'
import type { Event } from '../event/event.ts'
import { BEYOND_BUDGET, type EventMeter } from '../expressions/cost-meter.ts'
import type { NotDelivered } from '../graph/compiled-node.ts'
import { fillAll, type LineCodec } from '../lines/line-codec.ts'
import type { LineColumns } from '../lines/native-block/line-block.ts'
import type { OwnStoreContext } from '../lines/stored-line/line-draft.ts'
import type { FieldNames } from '../lines/stored-line/line-fields.ts'
import { newStoredLine, type StoredLine } from '../lines/stored-line/stored-line.ts'
import { wasmCodec } from '../lines/wasm/wasm-codec.ts'
import type { DeliveryFailure, LineHead, OwnStoreSink } from '../nodes/contract/own-store.ts'
import { EVENT_UNITS, type Steps } from '../steps.ts'
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
    const { timeMs, behaviour, stretch } = this.#moment
    const { account, retentionDays, fieldNames } = run.owner
    const context = { account, timeMs, retentionDays, poolDays: 0, fieldNames, behaviour }
    for (const event of run.events) {
      this.#deliverEvent(event, run, context)
      stretch.left -= EVENT_UNITS + (this.#line.sizeBytes >> READ_AT_ONCE_BITS)
      if (stretch.left > 0) continue
      this.#readTexts(run.owner)
      yield
      stretch.begin()
    }
    this.#readTexts(run.owner)
  }

  #deliverEvent(event: Event, run: LineRun, context: OwnStoreContext): void {
    const moment = this.#moment
    const { owner, node, left, sink } = run
    const line = this.#line
    const row = moment.nextRow()
    const failure = this.#refusal(row, run) ?? sink.fillHead(event, line, context)
    if (failure !== undefined) {
      const error = { nodeId: node.node, kind: 'destination' as const, ...failure, event }
      this.#tables.minute.activity.addError(node, error, moment.timeMs)
      left.failed(error)
      return
    }
    const position = { offset: moment.offset, row }
    if (this.#stores && !owner.rules.anyHold && sink.head.isSentTextAlone) {
      this.#appendText(position, sink.head, owner)
      moment.watch?.stored?.(event, node, row)
      return
    }
    this.#readTexts(owner) // Names of fields are accepted in the order of lines.
    sink.fillFields(line, context)
    if (owner.rules.anyHold) {
      const place = { topic: this.#place.topic, partition: this.#place.partition, ...position }
      const judging = { bytes: event.bytes, meter: owner.ruleMeter(moment), behaviour: moment.behaviour }
      const exclusion = owner.rules.judge(line, place, judging)
      if (exclusion !== undefined) {
        moment.watch?.excluded?.(event, node, exclusion)
        left.dropped(event, exclusion.reason)
        return
      }
    }
    if (this.#stores) this.#append(position, owner)
    moment.watch?.stored?.(event, node, row)
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

  #append(position: Position, { account, fieldNames }: LineOwner): void {
    const { timeMs, isExact, behaviour } = this.#moment
    const { lines, fullDays } = this.#tables
    lines.begin(timeMs, behaviour) // windows end with records of any kind
    lines.append(position, this.#line)
    if (isExact && fieldNames.takeFull() !== undefined) fullDays.add({ ...position, account, timeMs })
  }

  /** Appends the head of a line. The codec reads its text later, together with those of its neighbours. */
  #appendText(position: Position, { level, own }: LineHead, owner: LineOwner): void {
    const { textBytes, textStart, textEnd, app } = this.#line
    const { lines } = this.#tables
    const texts = this.#texts
    if (texts.bytes !== textBytes) this.#readTexts(owner)
    texts.bytes = textBytes as Buffer
    texts.add(position.row, textStart, textEnd, level, app, own)
    lines.begin(this.#moment.timeMs, this.#moment.behaviour)
    lines.appendHead(position, this.#line)
  }

  /** Makes the codec append levels and fields of the lines whose heads were appended. */
  #readTexts({ account, fieldNames }: LineOwner): void {
    const texts = this.#texts
    if (texts.rows === 0) return
    const { timeMs, isExact, offset } = this.#moment
    const { lines, fullDays } = this.#tables
    texts.account = account
    texts.timeMs = timeMs
    texts.isExact = isExact
    fieldNames.beginRun()
    fillAll(this.#codec, texts, fieldNames, lines.fields as LineColumns)
    texts.rows = 0
    const full = isExact ? fieldNames.takeFull() : undefined
    if (full !== undefined) fullDays.add({ offset, row: texts.rowOf(full), account, timeMs })
  }
}

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
