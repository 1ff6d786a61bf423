import { DeliveryFold } from '../../engine/delivery/fold/delivery-fold.ts'
import type { Lane } from '../../engine/delivery/fold/lane.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { type Control, controlType } from '../../schemas/log/control.ts'
import {
  type DeliveryReport,
  deliveryReportsType,
  type FailedRows,
} from '../../schemas/log/delivery-reports.ts'
import type { OutgoingPart } from '../../schemas/log/outgoing.ts'
import { ACCOUNT, type HandedLines, handedPart, LANE_RULES, outgoingValue } from './outgoing.ts'

export const OUTBOX = { topic: 'weir.outbox', partition: 0, logId: 'log' }

export const REFUSED: FailedRows = {
  row: 0,
  count: 1,
  code: 'E_DELIVERY_FAILED',
  field: null,
  message: 'The remote refused it.',
  status: 400,
  answer: null,
}

/** Records of an outbox partition, and a fold that applies them. */
export class OutboxLog {
  readonly records: LogRecord[] = []
  fold = new DeliveryFold(LANE_RULES, OUTBOX)
  /** Log time of the next records. */
  nowMs = 1_000
  #row = 0

  /** The lane of node `out` of pipeline `p`. */
  get lane(): Lane {
    return this.fold.lane(ACCOUNT, 'p', 'out') as Lane
  }

  /** Hands lines over, at the next positions of the source. */
  hand(lines: readonly string[], further: Partial<HandedLines> = {}): void {
    this.handParts(this.part(lines, further))
  }

  part(lines: readonly string[], further: Partial<HandedLines> = {}): OutgoingPart {
    return handedPart({ lines, positions: lines.map(() => ({ offset: 0n, row: this.#row++ })), ...further })
  }

  handParts(...parts: readonly OutgoingPart[]): void {
    this.append(outgoingValue(parts))
  }

  control(body: Control['body']): void {
    this.append(controlType.encode({ behaviour: BEHAVIOUR, body }))
  }

  /** Appends a report about the batch of a lane that is next. */
  report(further: Partial<DeliveryReport> & { readonly epoch?: number } = {}, lane = this.lane): void {
    const { epoch = this.fold.epoch, ...changed } = further
    const { account, pipeline, node, birth, batch } = lane
    const sent = { attempts: 1, bytes: 10, keepsLetters: true, failures: [] }
    const about = { account, pipeline, node, birth, batch: batch?.number ?? 0, events: batch?.events ?? 0 }
    const reports = [{ ...about, ...sent, ...changed }]
    this.append(deliveryReportsType.encode({ behaviour: BEHAVIOUR, epoch, reports }))
  }

  append(value: Buffer): void {
    const record = { offset: BigInt(this.records.length), appendTimeMs: this.nowMs, value, producer: null }
    this.records.push(record)
    this.fold.apply(record)
  }

  /** Lets a lane read what it may. */
  catchUp(lane = this.lane): void {
    while (this.fold.lags(lane))
      this.fold.advance(lane, this.records[Number(lane.cursor?.nextOffset)] as LogRecord)
  }
}
