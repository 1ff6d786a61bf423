import { parseJson } from '../json/json-text.ts'
import { defineKind } from './kind.ts'

/**
 * An operator's word that the end of the configuration log is lost and is to be done without. Key: 1, 2, 3, … in
 * the order of the acts.
 */
export interface AcceptedLoss {
  readonly topic: string
  readonly partition: number
  /** First and last offset of what was lost. */
  readonly from: number
  readonly to: number
  /** Who knew of it, for people. */
  readonly witnesses: readonly string[]
  /**
   * Added to the versions of all later changes, which otherwise follow from offsets: on Kafka offsets are used again,
   * and a partition ignores a cut whose version it has seen.
   */
  readonly versionShift: number
  /** Whose audit shows it: everybody's that the log knew of; of nobody: everybody's who comes later. */
  readonly accounts: readonly string[]
  readonly enterprises: readonly string[]
}

export const acceptedLosses = defineKind<AcceptedLoss>('accepted-loss')

/** What a change adds to later versions; undefined: it accepts no loss. */
export function versionShiftOf(kind: string, stored: string): number | undefined {
  if (kind !== acceptedLosses.name || stored === '') return undefined
  return (parseJson(stored) as unknown as AcceptedLoss).versionShift
}
