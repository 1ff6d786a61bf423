import { jsonText } from '../../json/json-text.ts'
import { defineKind } from '../kind.ts'

/**
 * Lines to leave out: conditions on apps, hosts and the query are joined with AND, the entries of one list with OR.
 * Configuration and account API, section 14.
 */
export interface ExclusionRule {
  /** Ten hexadecimal digits. */
  readonly id: string
  readonly title: string
  /** Only active rules apply. */
  readonly active: boolean
  /** Exact names; empty: any. */
  readonly apps: readonly string[]
  readonly hosts: readonly string[]
  /** Search query; empty: any line. */
  readonly query: string
}

/** A rule that keeps lines out of the store. */
export interface IngestionExclusion extends ExclusionRule {
  /** Tails and alerts still see the lines. */
  readonly indexonly: boolean
}

/** Retention of selected lines: ingestion, search and usage, section 9. Conditions are joined with AND. */
export interface RetentionRule {
  /** Ten hexadecimal digits. */
  readonly id: string
  readonly name: string
  /** Priority of the rule: of several matching rules, the one with the lowest number decides. */
  readonly priority: number
  readonly days: number
  readonly active: boolean
  /** Exact names, the level case-insensitive; empty: any. */
  readonly host: string
  readonly app: string
  readonly level: string
  readonly query: string
}

/** All rules of an account together, so that one version identifies them. Key: the short id of the account. */
export interface LineRules {
  readonly account: string
  readonly exclusions: readonly IngestionExclusion[]
  /** Rules that keep lines out of the stream only. */
  readonly streamExclusions: readonly ExclusionRule[]
  readonly retentionRules: readonly RetentionRule[]
}

/** Limit: every line of the account is compared with each rule. */
const MAX_RULES = 100
/** Limit: all rules are sent to partitions in one record. */
const MAX_RULES_CHARACTERS = 400_000

export const lineRules = defineKind<LineRules>('line-rules', {
  account: ({ account }) => account,
  isUserSized: true,
  // They leave out lines of which there are too many, and shorten retention.
  isDeferrable: false,
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
      if (jsonText(after).length <= MAX_RULES_CHARACTERS) return undefined
      const message = `the rules of an account must not exceed ${MAX_RULES_CHARACTERS} characters in total`
      return { code: 'RULE_LIMIT', message }
    },
  ],
})

export function noLineRules(account: string): LineRules {
  return { account, exclusions: [], streamExclusions: [], retentionRules: [] }
}
