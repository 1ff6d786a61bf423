import type { Idempotency } from './line-batch.ts'
import { WireType } from './wire-format.ts'

/** Answers to idempotency keys that ingesting processes share. */
export interface KeyAnswers {
  readonly answers: readonly KeyAnswer[]
}

/** Answer to the first request with an idempotency key. */
export interface KeyAnswer extends Idempotency {
  readonly account: string
  readonly batchId: string
  readonly isPartial: boolean
}

export const keyAnswersType = new WireType<KeyAnswers>('KeyAnswers')
