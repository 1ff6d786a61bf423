import { type ErrorCode, type ErrorDetail, errorMessage, type Report } from '../event/errors.ts'
import type { Event } from '../event/event.ts'
import { type Field, fieldAt } from '../event/field-path.ts'
import { EventMeter } from '../expressions/cost-meter.ts'
import type { ExpressionAllowance } from '../expressions/expression-budget.ts'
import type { EventPlace } from '../nodes/contract/event-place.ts'
import type { Stretch } from '../steps.ts'
import { keptCopyUnits } from './event-copies.ts'
import type { GraphObserver } from './graph-observer.ts'
import type { NodeError } from './node-error.ts'
import type { RunPlace } from './run-place.ts'

/** Error that makes its sentence on demand: most errors are repeats that are only counted. */
class ProcessorError implements NodeError {
  readonly nodeId: string
  readonly kind = 'transform'
  readonly code: ErrorCode
  readonly event: Event
  readonly #detail: ErrorDetail
  readonly #hidden: readonly Field[]

  constructor(nodeId: string, code: ErrorCode, detail: ErrorDetail, event: Event, hidden: readonly Field[]) {
    this.nodeId = nodeId
    this.code = code
    this.event = event
    this.#detail = detail
    this.#hidden = hidden
  }

  get field(): string | null {
    return this.#detail.field ?? null
  }

  get message(): string {
    return errorMessage(this.code, this.#detail)
  }

  get shown(): Event {
    return this.#hidden.reduce(withHidden, this.event)
  }

  get captured(): string | undefined {
    return this.#detail.captured
  }
}

/**
 * Receives reports of the processes of one node, counts the cost of their expressions, and gives them places of events. It
 * knows the present event, so the processes need not pass it.
 */
export class ErrorDesk {
  readonly meter = new EventMeter()
  readonly #nodeId: string
  readonly #hidden: readonly Field[]
  readonly #hand = this.meter.hand
  #event: Event | undefined
  #receiver: ErrorReceiver | undefined
  /** Turn of the event that was reported last. */
  #turn = 0
  #reported = 0
  #reportedBefore = 0
  #place: RunPlace | undefined
  /** Record whose events are counted, and the turn of the last event before it. */
  #record: bigint | undefined
  #turnBefore = 0

  /** @param hiddenFields paths: see `Processor.hiddenFields` */
  constructor(nodeId: string, hiddenFields: readonly string[] = []) {
    this.#nodeId = nodeId
    this.#hidden = hiddenFields.map(fieldAt)
  }

  open(receiver: ErrorReceiver): void {
    this.#receiver = receiver
    this.#place = receiver.place
    if (receiver.place?.record !== this.#record) {
      this.#record = receiver.place?.record
      this.#turnBefore = this.#hand.turn
    }
    this.meter.open(receiver.allowance, receiver.stretch)
  }

  close(): void {
    this.#receiver = undefined
    this.#place = undefined
    this.#event = undefined
    this.meter.close()
  }

  /** Makes an event the present one. @param row index of the input event that it stems from */
  take(event: Event, row: number): void {
    this.#event = event
    this.#hand.event = row
    this.#hand.turn++
  }

  /** Judges the present event again after a suspension: its reports are not repeated. */
  takeAgain(): void {
    this.#beginReports()
    this.#reportedBefore = Math.max(this.#reportedBefore, this.#reported)
    this.#reported = 0
    this.meter.again()
  }

  readonly report: Report = (code, detail) => {
    this.#beginReports()
    if (++this.#reported > this.#reportedBefore) this.#reportError(this.#errorOf(code, detail))
  }

  #beginReports(): void {
    if (this.#turn === this.#hand.turn) return
    this.#turn = this.#hand.turn
    this.#reported = 0
    this.#reportedBefore = 0
  }

  /** Number of the event among those of the record at this node, behind record and revision. */
  readonly place: EventPlace = () => {
    if (this.#place === undefined) throw new RangeError(`the events of node ${this.#nodeId} have no places`)
    return `${this.#place.text()} ${this.#hand.turn - this.#turnBefore} ${this.#nodeId}`
  }

  /** Reports an event that ends here. */
  fail(code: ErrorCode, detail: ErrorDetail): void {
    const error = this.#errorOf(code, detail)
    this.#reportError(error)
    const receiver = this.#receiver
    if (receiver?.takeDeadLetter !== undefined && this.#mayKeepLetter(error.event, receiver))
      receiver.takeDeadLetter(error)
  }

  /** Whether the event may become a dead letter: very many letters of one event cost units, like its copies in the store. */
  #mayKeepLetter({ bytes }: Event, { allowance, copies }: ErrorReceiver): boolean {
    const units = keptCopyUnits(bytes, copies)
    if (units === 0 || !allowance?.countsCopies) return true
    return allowance.isFirstLetterOf(this.#hand.event) || this.meter.affords(units)
  }

  /** Charges the event in hand for one of its kept copies, unless that exceeds its budget. @returns whether the copy may be kept */
  affordsCopy({ bytes }: Event, copies: number | undefined): boolean {
    const units = keptCopyUnits(bytes, copies)
    return units === 0 || this.meter.affords(units)
  }

  #reportError(error: NodeError): void {
    this.#receiver?.report(error)
    this.#receiver?.observer?.reported(error, this.#hand.event)
  }

  #errorOf(code: ErrorCode, detail: ErrorDetail): NodeError {
    if (this.#event === undefined)
      throw new RangeError(`node ${this.#nodeId} reports ${code} with no event in hand`)
    return new ProcessorError(this.#nodeId, code, detail, this.#event, this.#hidden)
  }
}

/** Text in place of values that error records must not show: components, section 4.1. */
const HIDDEN = '[hidden]'

function withHidden(event: Event, field: Field): Event {
  return field.read(event) === undefined ? event : field.write(event, HIDDEN)
}

interface ErrorReceiver {
  report(error: NodeError): void
  takeDeadLetter?: ((error: NodeError) => void) | undefined
  allowance?: ExpressionAllowance | undefined
  copies?: number | undefined
  stretch?: Stretch | undefined
  observer?: Pick<GraphObserver, 'reported'> | undefined
  place?: RunPlace | undefined
}
