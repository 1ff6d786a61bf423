import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { type DeliveryReport, deliveryReportsType } from '../../../schemas/log/delivery-reports.ts'
import { RECORD_BYTES } from '../../../schemas/log/record-size.ts'
import type { Clock } from '../../clock/clock.ts'

/** Time in which reports share a record. One that gives events up is written at once. */
const SHARED_MS = 200
/** Approximate size of a report without its texts. */
const REPORT_BYTES = 256

/** Reports that are not on the log yet. */
export class ReportQueue {
  readonly #clock: Clock
  #waiting: DeliveryReport[] = []
  #dueMs = Number.POSITIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(report: DeliveryReport): void {
    const waitMs = report.failures.length > 0 ? 0 : SHARED_MS
    this.#waiting.push(report)
    this.#dueMs = Math.min(this.#dueMs, this.#clock.monotonicMs() + waitMs)
  }

  /** Makes the reports due at once, because a lane has nothing to send before they count. */
  hasten(): void {
    if (this.#waiting.length > 0) this.#dueMs = this.#clock.monotonicMs()
  }

  /** Time until a record is due; 0 or less: now; Infinity: there are no reports. */
  untilDueMs(): number {
    return this.#dueMs - this.#clock.monotonicMs()
  }

  /** Takes the value of the next record. @param epoch offset of the worker's owner record */
  take(epoch: number): Buffer {
    const reports: DeliveryReport[] = []
    for (let bytes = 0; bytes < RECORD_BYTES; ) {
      const report = this.#waiting.shift()
      if (report === undefined) break
      reports.push(report)
      bytes += sizeOf(report)
    }
    if (this.#waiting.length === 0) this.#dueMs = Number.POSITIVE_INFINITY
    return deliveryReportsType.encode({ behaviour: BEHAVIOUR, epoch, reports })
  }
}

function sizeOf({ failures }: DeliveryReport): number {
  return failures.reduce(
    (sum, { message, answer }) => sum + REPORT_BYTES + message.length + (answer?.length ?? 0),
    REPORT_BYTES,
  )
}
