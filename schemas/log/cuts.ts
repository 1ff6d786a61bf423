import type { PipelineDocument } from '../pipeline.ts'
import type { Cut } from './control.ts'

/** Names the entity that a cut of any kind changes. */
export function cutKey({ kind, entity }: { readonly kind: string; readonly entity: string }): string {
  return `${kind} ${entity}`
}

/** Payload of a cut of kind 'pipeline'; entity is the pipeline's id, version its deployment's. An empty payload removes it. */
export interface PipelineCut extends PipelineDocument {
  /** The pipeline handles no events, and keeps its state. */
  readonly paused?: boolean
}

/** Payload of a cut of kind 'account'; entity is the short account id. */
export interface AccountCut {
  readonly accountId: string
  readonly retentionDays: number
}

/** Retention in days (that of the default plan) until the partition has read the account's own cut. */
export const DEFAULT_RETENTION_DAYS = 30

/** Payload of a cut of kind 'spread'; entity is the short account id, version counts the changes. */
export interface SpreadCut {
  /** true: keyed state belongs to the keyed partitions; false: to the account's home partition. */
  readonly isSpread: boolean
}

/** Payload of a cut of kind 'dead-letter'; entity is the pipeline's id. */
export interface DeadLetterCut {
  readonly accountId: string
  /** Whether events that fail are kept. */
  readonly isEnabled: boolean
}

/** Payload of a cut of kind 'exemption'; entity and version are those of the configuration. */
export interface ExemptionCut {
  readonly accountId: string
  readonly pipeline: string
  readonly node: string
  /** null: the bucket of events without a key. */
  readonly key: string | null
  /** Log time from which events of the key are throttled again; 0: immediately. */
  readonly untilMs: number
  /**
   * Log time from which the cut has no effect and may be forgotten. It is not earlier than the end of any previous version,
   * so a previous version that arrives late has ended as well.
   */
  readonly forgetMs: number
}

/** Conditions that a line must meet for a rule to match. Entries of a list are joined with OR, all else with AND. */
export interface LineConditions {
  /** Exact names; empty: any. */
  readonly apps: readonly string[]
  readonly hosts: readonly string[]
  /** Levels, case-insensitive; empty: any. */
  readonly levels?: readonly string[]
  /** Search query; empty: any line. */
  readonly query: string
}

export interface ExclusionCut extends LineConditions {
  readonly id: string
  readonly title: string
  /** true: the line is dropped on arrival; false: it is only kept out of the store. */
  readonly entirely?: boolean
}

export interface RetentionCut extends LineConditions {
  readonly id: string
  readonly days: number
}

/** Payload of a cut of kind 'line-rules'; entity is the short account id. Inactive rules are left out. */
export interface LineRulesCut {
  readonly accountId: string
  /** Rules in order of evaluation; the first match decides. The same holds for the other lists. */
  readonly exclusions: readonly ExclusionCut[]
  readonly retentionRules: readonly RetentionCut[]
}

export interface QuotaRuleCut extends LineConditions {
  readonly number: number
  /** Works as `entirely` of an exclusion. */
  readonly entirely?: boolean
}

/** Restrictions that a quota imposes until a log time. */
export type QuotaPeriod = 'daily' | 'monthly'

export interface QuotaPeriodCut {
  readonly period: QuotaPeriod
  readonly untilMs: number
  /** true: nothing is stored. */
  readonly discards: boolean
  readonly rules: readonly QuotaRuleCut[]
}

/** Payload of a cut of kind 'quota'; entity is the short account id, version is that of the decision. */
export interface QuotaCut {
  readonly accountId: string
  readonly periods: readonly QuotaPeriodCut[]
}

/** A cut with the account that it belongs to. */
export interface AddressedCut {
  /** Short id. */
  readonly account: string
  readonly cut: Cut
}

/** The configuration as far as partitions must know it: the newest cut of every entity. */
export interface DeployedConfiguration {
  /** Short ids of all accounts that have cuts. */
  accounts(): Iterable<string>
  /** All cuts, in the order in which partitions should apply them. With an account, only its own. */
  cuts(account?: string): Iterable<AddressedCut>
  /** Whether lines of the account are, or were, on all partitions. */
  isSpread(account: string): boolean
  /** Whether that holds for any account. */
  readonly anySpread: boolean
  /** @param listener receives, after a change, the accounts whose cuts may have changed; the returned function ends it */
  subscribe(listener: (accounts: ReadonlySet<string>) => void): () => void
}

/** State of cuts in the partitions, for callers that wait until their change takes effect. */
export interface CutsInEffect {
  /** Version of an account's entity that is in effect for its lines; undefined while this process does not know it. */
  cutVersion(account: string, kind: Cut['kind'], entity: string): number | undefined
  /** Highest version of the entity that this process knows to be on the log; undefined: none. */
  versionOnLog(account: string, kind: Cut['kind'], entity: string): number | undefined
  /**
   * Waits at most a few seconds until at least that version is in effect for lines of the account.
   *
   * @returns false when it is not in effect yet; it will be once the partition reads on
   */
  whenInEffect(account: string, kind: Cut['kind'], entity: string, version: number): Promise<boolean>
}
