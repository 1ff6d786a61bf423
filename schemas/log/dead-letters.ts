import { type ChangedEvent, isAnnotated } from './rekeyed.ts'
import { ExtendedType } from './wire-format.ts'

/**
 * Events of one account that failed; the shapes are described in avro/dead-letters.1.avsc. Records with annotated events have the form of
 * avro/annotated-dead-letters.1.avsc.
 */
export interface DeadLetters {
  readonly behaviour: number
  readonly account: string
  readonly parts: readonly DeadLetterPart[]
}

export type DeadLetterPart =
  | { readonly 'weir.FailedEvents': FailedEvents }
  | { readonly 'weir.ReplayedEvents': ReplayedEvents }

export interface FailedEvents {
  readonly topic: string
  readonly partition: number
  readonly pipeline: string
  readonly version: number
  readonly node: string
  readonly lines: Buffer
  readonly changed: readonly ChangedEvent[]
  readonly failures: readonly Failure[]
}

export interface Failure {
  readonly offset: number
  readonly row: number
  readonly failedAtMs: number
  readonly code: string
  readonly field: string | null
  readonly message: string
}

export interface ReplayedEvents {
  readonly topic: string
  readonly partition: number
  readonly version: number
  readonly replayedAtMs: number
  readonly positions: readonly { readonly offset: number; readonly row: number }[]
}

export const deadLettersType = new ExtendedType<DeadLetters>(
  'DeadLetters',
  'AnnotatedDeadLetters',
  ({ parts }) =>
    parts.some(part => 'weir.FailedEvents' in part && isAnnotated(part['weir.FailedEvents'].changed)),
)

export const MAX_DEAD_LETTER_DAYS = 30
