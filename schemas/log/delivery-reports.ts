import { WireType } from './wire-format.ts'

/** Outcomes of batches of an outbox partition; the shapes are described in avro/delivery-reports.1.avsc. */
export interface DeliveryReports {
  readonly behaviour: number
  /** Offset of the owner record of the worker that sent the batches. */
  readonly epoch: number
  readonly reports: readonly DeliveryReport[]
}

/** Outcome of one batch. */
export interface DeliveryReport {
  readonly account: string
  readonly pipeline: string
  readonly node: string
  readonly birth: number
  readonly batch: number
  readonly events: number
  readonly attempts: number
  readonly bytes: number
  readonly keepsLetters: boolean
  readonly failures: readonly FailedRows[]
}

/** Consecutive events of a batch that were given up for one reason. */
export interface FailedRows {
  readonly row: number
  readonly count: number
  readonly code: string
  readonly field: string | null
  readonly message: string
  readonly status: number | null
  readonly answer: string | null
}

export const deliveryReportsType = new WireType<DeliveryReports>('DeliveryReports')
