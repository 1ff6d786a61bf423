import type { PipelineDocument } from '../pipeline.ts'
import type { Cut } from './control.ts'

/** Payload of a cut of kind 'pipeline'; entity is the pipeline's id, version its deployment's. An empty payload removes it. */
export interface PipelineCut extends PipelineDocument {
  /** It handles nothing, and keeps what it remembers. */
  readonly paused?: boolean
}

/** Payload of a cut of kind 'account'; entity is the short account id. */
export interface AccountCut {
  readonly accountId: string
  readonly retentionDays: number
}

/** Days that lines are kept for an account of which the partition has not been told yet: the default plan. */
export const DEFAULT_RETENTION_DAYS = 30

/** Payload of a cut of kind 'spread'; entity is the short account id, version counts the changes. */
export interface SpreadCut {
  /** Memory of keys belongs into the keyed partitions; otherwise into the account's home partition. */
  readonly isSpread: boolean
}

/** Payload of a cut of kind 'dead-letter'; entity is the pipeline's id. */
export interface DeadLetterCut {
  readonly accountId: string
  /** Whether events that fail are kept. */
  readonly isEnabled: boolean
}

/** Payload of a cut of kind 'exemption'; entity is that of the configuration, version too. */
export interface ExemptionCut {
  readonly accountId: string
  readonly pipeline: string
  readonly node: string
  /** null: the bucket of events without a key. */
  readonly key: string | null
  /** Log time at which events of the key are judged again; 0: at once. */
  readonly untilMs: number
  /**
   * Log time from which on this means nothing, and may be forgotten. Not before any earlier version would have ended:
   * one that comes late then has ended, too.
   */
  readonly forgetMs: number
}

/** What lines must be for a rule to match; entries of a list are joined with OR, all else with AND. */
export interface LineConditions {
  /** Exact names; empty: any. */
  readonly apps: readonly string[]
  readonly hosts: readonly string[]
  /** Without regard to case; empty: any. */
  readonly levels?: readonly string[]
  /** Empty: any. */
  readonly query: string
}

export interface ExclusionCut extends LineConditions {
  readonly id: string
  readonly title: string
  /** The line is dropped as it arrives, and not only kept out of the store. */
  readonly entirely?: boolean
}

export interface RetentionCut extends LineConditions {
  readonly id: string
  readonly days: number
}

/** Payload of a cut of kind 'line-rules'; entity is the short account id. Rules that do not act are not in it. */
export interface LineRulesCut {
  readonly accountId: string
  /** In the order in which they are asked; the first that matches decides. The same holds for the others. */
  readonly exclusions: readonly ExclusionCut[]
  readonly retentionRules: readonly RetentionCut[]
}

export interface QuotaRuleCut extends LineConditions {
  readonly number: number
  /** As of an exclusion. */
  readonly entirely?: boolean
}

/** What acts until a log time because of a quota. */
export type QuotaPeriod = 'daily' | 'monthly'

export interface QuotaPeriodCut {
  readonly period: QuotaPeriod
  readonly untilMs: number
  /** Nothing is stored. */
  readonly discards: boolean
  readonly rules: readonly QuotaRuleCut[]
}

/** Payload of a cut of kind 'quota'; entity is the short account id, version that of what was decided. */
export interface QuotaCut {
  readonly accountId: string
  readonly periods: readonly QuotaPeriodCut[]
}

/** A cut with the account whose partition must see it. */
export interface AddressedCut {
  readonly account: string
  readonly cut: Cut
  /** Every partition must see it: the account's lines are, or were, on all of them. */
  readonly everywhere: boolean
  /** Log time from which on it means nothing and need not be told. */
  readonly forgetMs?: number
}

/** What the configuration log says that partitions must know: the newest cut of every entity. */
export interface DeployedConfiguration {
  cuts(): Iterable<AddressedCut>
  /** Called after a change; the returned function ends it. */
  subscribe(listener: () => void): () => void
}

/** What the partitions have read back, for those who wait for their change to hold. */
export interface CutsInEffect {
  /** Version of an account's entity that its lines meet now; undefined while that is unknown here. */
  cutVersion(account: string, kind: Cut['kind'], entity: string): number | undefined
  /** Highest version of it that is known to be on the log; undefined: of none that is known here. */
  versionOnLog(account: string, kind: Cut['kind'], entity: string): number | undefined
  /**
   * Waits, some seconds at most, until lines of the account meet at least that version.
   *
   * @returns false when it is not in effect yet: it will be, once the partition moves
   */
  whenInEffect(account: string, kind: Cut['kind'], entity: string, version: number): Promise<boolean>
}
