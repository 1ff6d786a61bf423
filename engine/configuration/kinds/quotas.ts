import type { QuotaPeriod } from '../../../schemas/log/cuts.ts'
import { defineKind } from '../kind.ts'

/** A rule that leaves lines out once a percentage of the quota is used: ingestion, search and usage, section 9. */
export interface QuotaRule {
  /** Percentage of the limit. */
  readonly percent: number
  readonly active: boolean
  readonly apps: readonly string[]
  readonly hosts: readonly string[]
  readonly query: string
  /** Tails and alerts still see the lines. */
  readonly indexonly: boolean
}

export interface QuotaLimit {
  /** Bytes; 0: no limit. */
  readonly limit: number
  /** Whether lines are not stored once the limit is reached. */
  readonly discard: boolean
  readonly rules: readonly QuotaRule[]
}

/** Limits on the volume that an account stores in a UTC day and in a calendar month. Key: the short id of the account. */
export interface Quota {
  readonly account: string
  readonly daily: QuotaLimit
  readonly monthly: QuotaLimit
}

/** Restrictions that apply because of a period's quota. */
export interface QuotaInForce {
  readonly period: QuotaPeriod
  /** Log time at which the restrictions end: the end of the period, UNIX ms. */
  readonly untilMs: number
  readonly discards: boolean
  /** Rules of the quota that apply, with their numbers from 1. */
  readonly rules: readonly (QuotaRule & { readonly number: number })[]
}

/**
 * Decisions about an account's quota. The process that measures makes them once, because each partition sees only its own lines.
 * Key: the short id of the account.
 */
export interface QuotaState {
  readonly account: string
  readonly inForce: readonly QuotaInForce[]
}

const ofAccount = ({ account }: { readonly account: string }) => account

/** Quotas are not deferrable: they leave out lines of which there are too many. */
export const quotas = defineKind<Quota>('quota', {
  account: ofAccount,
  isUserSized: true,
  isDeferrable: false,
})
export const quotaStates = defineKind<QuotaState>('quota-state', { account: ofAccount })

const NO_LIMIT: QuotaLimit = { limit: 0, discard: false, rules: [] }

export function noQuota(account: string): Quota {
  return { account, daily: NO_LIMIT, monthly: NO_LIMIT }
}
