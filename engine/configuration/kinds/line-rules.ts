import { jsonText } from '../../json/json-text.ts'
import { defineKind } from '../kind.ts'

/**
 * Lines that are left out: what apps, hosts and the query say is joined with AND, the entries of one list with OR.
 * Configuration and account API, section 14.
 */
export interface ExclusionRule {
  /** Ten hexadecimal digits. */
  readonly id: string
  readonly title: string
  /** Only active rules act. */
  readonly active: boolean
  /** Exact names; none: any. */
  readonly apps: readonly string[]
  readonly hosts: readonly string[]
  /** Search query; empty: any line. */
  readonly query: string
}

/** A rule that keeps lines out of the store. */
export interface IngestionExclusion extends ExclusionRule {
  /** The lines are still seen by tails and alerts. */
  readonly indexonly: boolean
}

/** How long some lines are kept: ingestion, search and usage, section 9. Conditions are joined with AND. */
export interface RetentionRule {
  /** Ten hexadecimal digits. */
  readonly id: string
  readonly name: string
  /** The lowest number decides. */
  readonly priority: number
  readonly days: number
  readonly active: boolean
  /** Exact names, the level without regard to case; empty: any. */
  readonly host: string
  readonly app: string
  readonly level: string
  readonly query: string
}

/** All rules of an account together, so that one version tells which of them hold. Key: the short id of the account. */
export interface LineRules {
  readonly account: string
  readonly exclusions: readonly IngestionExclusion[]
  /** They keep lines out of the stream alone. */
  readonly streamExclusions: readonly ExclusionRule[]
  readonly retentionRules: readonly RetentionRule[]
}

/** Every line of the account is held against each of them. */
const MAX_RULES = 100
/** They go to partitions in one record. */
const MAX_RULES_CHARACTERS = 400_000

export const lineRules = defineKind<LineRules>('line-rules', {
  account: ({ account }) => account,
  parts: {
    'exclusion-rule': ({ exclusions }) => exclusions,
    'stream-exclusion-rule': ({ streamExclusions }) => streamExclusions,
    'retention-rule': ({ retentionRules }) => retentionRules,
  },
  rules: [
    ({ after }) => {
      if (after === undefined) return undefined
      const lists = [after.exclusions, after.streamExclusions, after.retentionRules]
      if (lists.some(({ length }) => length > MAX_RULES))
        return { code: 'RULE_LIMIT', message: `an account has at most ${MAX_RULES} rules of one kind` }
      if (jsonText(after as never).length <= MAX_RULES_CHARACTERS) return undefined
      const message = `the rules of an account are at most ${MAX_RULES_CHARACTERS} characters long together`
      return { code: 'RULE_LIMIT', message }
    },
  ],
})

export function noLineRules(account: string): LineRules {
  return { account, exclusions: [], streamExclusions: [], retentionRules: [] }
}
