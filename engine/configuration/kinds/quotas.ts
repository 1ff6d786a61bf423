import type { QuotaPeriod } from '../../../schemas/log/cuts.ts'
import { defineKind } from '../kind.ts'

/** A rule that leaves lines out from a part of the quota on: ingestion, search and usage, section 9. */
export interface QuotaRule {
  /** Of the limit. */
  readonly percent: number
  readonly active: boolean
  readonly apps: readonly string[]
  readonly hosts: readonly string[]
  readonly query: string
  /** The lines are still seen by tails and alerts. */
  readonly indexonly: boolean
}

export interface QuotaLimit {
  /** Bytes; 0: none. */
  readonly limit: number
  /** Nothing is stored once it is used up. */
  readonly discard: boolean
  readonly rules: readonly QuotaRule[]
}

/** How much of an account is stored in a UTC day and in a calendar month. Key: the short id of the account. */
export interface Quota {
  readonly account: string
  readonly daily: QuotaLimit
  readonly monthly: QuotaLimit
}

/** What acts because of a period's quota. */
export interface QuotaInForce {
  readonly period: QuotaPeriod
  /** Log time at which it is over: the end of the period, UNIX ms. */
  readonly untilMs: number
  readonly discards: boolean
  /** Of the quota's rules, those that act; by their number, from 1 on. */
  readonly rules: readonly (QuotaRule & { readonly number: number })[]
}

/**
 * What was decided about an account's quota: once, by whoever measures, since partitions see only their own lines. Key:
 * the short id of the account.
 */
export interface QuotaState {
  readonly account: string
  readonly inForce: readonly QuotaInForce[]
}

const ofAccount = ({ account }: { readonly account: string }) => account

export const quotas = defineKind<Quota>('quota', { account: ofAccount })
export const quotaStates = defineKind<QuotaState>('quota-state', { account: ofAccount })

const NO_LIMIT: QuotaLimit = { limit: 0, discard: false, rules: [] }

export function noQuota(account: string): Quota {
  return { account, daily: NO_LIMIT, monthly: NO_LIMIT }
}
