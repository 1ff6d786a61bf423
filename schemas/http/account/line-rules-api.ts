import Type from 'typebox'
import type { Keywords } from '../../keywords.ts'
import { named } from '../../named.ts'
import { MAX_RETENTION_DAYS } from './retention-api.ts'

/**
 * Rules that apply to lines before they are stored. Exclusion rules: configuration and account API, section 14. Retention
 * rules and quotas: ingestion, search and usage, section 9; their members are our choice. Unknown members are ignored.
 */

const MAX_NAMES = 1_000
const MAX_TITLE_CHARACTERS = 1_000
const MAX_HOST_CHARACTERS = 256
const MAX_APP_CHARACTERS = 512

const names = (maxLength: number, description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems: MAX_NAMES, default: [], description }),
  )
const SEARCH_QUERY: Keywords = { searchQuery: true }
const Query = Type.Optional(
  Type.String({ ...SEARCH_QUERY, default: '', description: 'Search query; empty: any line' }),
)
const flag = (byDefault: boolean, description: string) =>
  Type.Optional(Type.Boolean({ default: byDefault, description }))

const Conditions = {
  apps: names(MAX_APP_CHARACTERS, 'Exact names; one of them must match. Empty: any app'),
  hosts: names(MAX_HOST_CHARACTERS, 'Exact names; one of them must match. Empty: any host'),
  query: Query,
}
/** Names of the members that select lines, in an exclusion rule and in a rule of a quota. */
export const EXCLUSION_CONDITIONS = ['apps', 'hosts', 'query'] as const
const SAYS_SOMETHING = { needsConditionOf: EXCLUSION_CONDITIONS } satisfies Keywords
const Active = flag(false, 'Only active rules apply')
const IndexOnly = flag(true, 'Tails and alerts still see the lines')

/** Members that a request leaves out keep their values. Whether the rule still selects lines is checked after the merge. */
export const ExclusionChange = named(
  'ExclusionChange',
  Type.Object({
    title: Type.Optional(Type.String({ maxLength: MAX_TITLE_CHARACTERS, default: '' })),
    active: Active,
    ...Conditions,
  }),
)
export const IngestionExclusionChange = named(
  'IngestionExclusionChange',
  Type.Object({ ...ExclusionChange.properties, indexonly: IndexOnly }),
)

/** Omitted members get their defaults. */
export const ExclusionCreate = named(
  'ExclusionCreate',
  Type.Object(ExclusionChange.properties, SAYS_SOMETHING),
)
export type ExclusionCreate = Type.Static<typeof ExclusionCreate>
export const IngestionExclusionCreate = named(
  'IngestionExclusionCreate',
  Type.Object(IngestionExclusionChange.properties, SAYS_SOMETHING),
)

const Id = Type.String({ description: 'Ten hexadecimal digits' })
const Names = Type.Unsafe<readonly string[]>({ type: 'array', items: { type: 'string' } })

export const ExclusionRecord = named(
  'ExclusionRecord',
  Type.Object({
    id: Id,
    title: Type.String(),
    active: Type.Boolean(),
    apps: Names,
    hosts: Names,
    query: Type.String(),
  }),
)
export const IngestionExclusionRecord = named(
  'IngestionExclusionRecord',
  Type.Object({
    ...ExclusionRecord.properties,
    indexonly: Type.Boolean(),
  }),
)

/** Names of the members of a retention rule that select lines. */
export const RETENTION_CONDITIONS = ['host', 'app', 'level', 'query'] as const
const RetentionConditions = {
  active: Active,
  host: Type.Optional(
    Type.String({ maxLength: MAX_HOST_CHARACTERS, default: '', description: 'Exact name' }),
  ),
  app: Type.Optional(Type.String({ maxLength: MAX_APP_CHARACTERS, default: '', description: 'Exact name' })),
  level: Type.Optional(Type.String({ maxLength: 80, default: '', description: 'Case-insensitive name' })),
  query: Query,
}
const RULE_DAYS = {
  minimum: 1,
  description:
    'Retention of these lines in days, shorter or longer than that of the account; also the pool in which they count',
}
const RetentionMembers = {
  name: Type.String({ minLength: 1, maxLength: MAX_TITLE_CHARACTERS }),
  priority: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'Priority: of several matching rules, the one with the lowest number decides',
  }),
  days: Type.Integer({ ...RULE_DAYS, maximum: MAX_RETENTION_DAYS }),
}

const ruleMembers = { ...RetentionMembers, ...RetentionConditions }
export const RetentionRuleCreate = named(
  'RetentionRuleCreate',
  Type.Object(ruleMembers, {
    needsConditionOf: RETENTION_CONDITIONS,
  } satisfies Keywords),
)
/**
 * Members that a request leaves out keep their values. A stored number of days above the limit for new rules can be sent back.
 */
export const RetentionRuleChange = named(
  'RetentionRuleChange',
  Type.Partial(Type.Object({ ...ruleMembers, days: Type.Integer(RULE_DAYS) })),
)

export const RetentionRuleRecord = named(
  'RetentionRuleRecord',
  Type.Object({
    id: Id,
    name: Type.String(),
    priority: Type.Integer(),
    days: Type.Integer(),
    active: Type.Boolean(),
    host: Type.String(),
    app: Type.String(),
    level: Type.String(),
    query: Type.String(),
  }),
)

const QuotaRuleWrite = named(
  'QuotaRuleWrite',
  Type.Object(
    {
      percent: Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'Percentage of the limit from which the rule applies',
      }),
      ...Conditions,
      indexonly: IndexOnly,
      active: Active,
    },
    SAYS_SOMETHING,
  ),
)

const QuotaLimitWrite = Type.Optional(
  named(
    'QuotaLimitWrite',
    Type.Object({
      limit: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          default: 0,
          description: 'Bytes; 0: no limit. A change switches off its rules',
        }),
      ),
      discard: flag(false, 'Store nothing once the limit is reached; tails and alerts still see the lines'),
      rules: Type.Optional(Type.Array(QuotaRuleWrite, { maxItems: 5, default: [] })),
    }),
  ),
)

export const QuotaWrite = named(
  'QuotaWrite',
  Type.Object({ daily: QuotaLimitWrite, monthly: QuotaLimitWrite }),
)
export type QuotaWrite = Type.Static<typeof QuotaWrite>

const QuotaLimitRecord = named(
  'QuotaLimitRecord',
  Type.Object({
    limit: Type.Integer(),
    discard: Type.Boolean(),
    rules: Type.Array(
      Type.Object({
        percent: Type.Integer(),
        apps: Names,
        hosts: Names,
        query: Type.String(),
        indexonly: Type.Boolean(),
        active: Type.Boolean(),
      }),
    ),
    used: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description:
        'Bytes stored on the present UTC day, or in the present calendar month; null while the store does not answer',
    }),
    in_force: Type.Unsafe<{ until: string; discard: boolean; rules: number[] } | null>({
      type: ['object', 'null'],
      description: 'The part of the quota that applies now; null: none',
      properties: {
        until: { type: 'string', format: 'date-time' },
        discard: { type: 'boolean' },
        rules: {
          type: 'array',
          items: { type: 'integer' },
          description: 'Numbers of the rules that apply; the first rule is 1',
        },
      },
    }),
  }),
)
export const QuotaRecord = named(
  'QuotaRecord',
  Type.Object({ daily: QuotaLimitRecord, monthly: QuotaLimitRecord }),
)
export type QuotaRecord = Type.Static<typeof QuotaRecord>
