import type { Idempotency } from './line-batch.ts'
import { WireType } from './wire-format.ts'

/** What ingesting processes tell each other. */
export interface KeyAnswers {
  readonly answers: readonly KeyAnswer[]
}

/** What the request that was first with an idempotency key was answered. */
export interface KeyAnswer extends Idempotency {
  readonly account: string
  readonly batchId: string
  readonly isPartial: boolean
}

export const keyAnswersType = new WireType<KeyAnswers>('KeyAnswers')
