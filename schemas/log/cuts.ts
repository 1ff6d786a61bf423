import type { PipelineDocument } from '../pipeline.ts'

/** Names the entity that a cut of any kind changes. */
export function cutKey({ kind, entity }: { readonly kind: string; readonly entity: string }): string {
  return `${kind} ${entity}`
}

/**
 * Kinds of cuts that the configuration sends, with their payloads. A new kind begins with a line here. Files of the same
 * name in `engine/configuration/cuts` and `engine/fold/cuts` say how an entity becomes the cut, and how the cut acts.
 */
export interface SentCuts {
  /** undefined, an empty text, removes the pipeline. */
  readonly pipeline: PipelineCut | undefined
  readonly account: AccountCut
  readonly spread: SpreadCut
  readonly 'dead-letter': DeadLetterCut
  readonly exemption: ExemptionCut
  readonly 'line-rules': LineRulesCut
  readonly quota: QuotaCut
  readonly 'profile-reset': ProfileResetCut
  readonly 'state-variables': StateVariablesCut
}

/** Payload of a cut of kind 'pipeline'; entity is the pipeline's id, version its deployment's. An empty payload removes it. */
export interface PipelineCut extends PipelineDocument {
  /** The pipeline handles no events, and keeps its state. */
  readonly paused?: boolean
  /** A paused pipeline drops the events of its sources: lines that it reads do not go through the default graph. */
  readonly drops?: boolean
}

/** Pause of a deployed revision. */
export interface Pause {
  /** Whether it handles no events. */
  readonly paused: boolean
  /** Whether it drops the events of its sources, as a pipeline without destinations would. Only a paused one does. */
  readonly drops: boolean
}

/** Pause that a cut carries. @param document undefined: nothing is deployed */
export function pauseOf(document: Pick<PipelineCut, 'paused' | 'drops'> | undefined): Pause {
  const paused = document?.paused ?? false
  return { paused, drops: paused && document?.drops === true }
}

/** Payload of a cut of kind 'account'; entity is the short account id. */
export interface AccountCut {
  readonly accountId: string
  readonly retentionDays: number
}

/**
 * Retention in days of an account for which nobody chose another. A partition stores with it until it has read the
 * account's own cut, so another value changes the results of logs.
 */
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

/** Payload of a cut of kind 'profile-reset'; entity and version are those of the configuration. */
export interface ProfileResetCut {
  readonly accountId: string
  readonly pipeline: string
  readonly node: string
}

/** Payload of a cut of kind 'state-variables'; entity is the pipeline's id, version that of the configuration. */
export interface StateVariablesCut {
  readonly accountId: string
  /** Values by name; they replace all earlier ones. */
  readonly state: Readonly<Record<string, string>>
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
