import { parseJson } from '../json/json-text.ts'
import { defineKind } from './kind.ts'

/** An operator's acceptance that the end of the configuration log is lost. Key: 1, 2, 3, … in order. */
export interface AcceptedLoss {
  readonly topic: string
  readonly partition: number
  /** First and last lost offset. */
  readonly from: number
  readonly to: number
  /** Sources that knew of the lost records, for people. */
  readonly witnesses: readonly string[]
  /**
   * Number added to the versions of all later changes. Versions otherwise follow from offsets, but Kafka gives offsets again, and
   * a partition ignores a cut whose version it has seen.
   */
  readonly versionShift: number
  /**
   * Accounts and enterprises whose audit shows the loss: all that the log knew. If it knew none, the audit of all later ones
   * shows it.
   */
  readonly accounts: readonly string[]
  readonly enterprises: readonly string[]
}

export const acceptedLosses = defineKind<AcceptedLoss>('accepted-loss')

/** Shift of later versions that a change causes; undefined: it does not accept a loss. */
export function versionShiftOf(kind: string, stored: string): number | undefined {
  if (kind !== acceptedLosses.name || stored === '') return undefined
  return (parseJson(stored) as unknown as AcceptedLoss).versionShift
}
