import Type from 'typebox'
import type { Keywords } from './keywords.ts'

/**
 * What happens to lines before they are stored: exclusion rules (configuration and account API, section 14), rules on
 * how long lines are kept, and quotas (ingestion, search and usage, section 9; members are our choice). Members that
 * are not known are passed over.
 */

const MAX_NAMES = 1_000
/** The widest pool that a line can name. */
const MAX_DAYS = 65_535
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
  apps: names(MAX_APP_CHARACTERS, 'Exact names, of which one is enough; none: any app'),
  hosts: names(MAX_HOST_CHARACTERS, 'The same of hosts'),
  query: Query,
}
const Active = flag(false, 'Only active rules act')
const IndexOnly = flag(true, 'Tails and alerts still see the lines')

/** One shape for creating and changing: what is left out has its default, or stays. */
export const ExclusionWrite = Type.Object({
  title: Type.Optional(Type.String({ maxLength: MAX_TITLE_CHARACTERS, default: '' })),
  active: Active,
  ...Conditions,
})
export type ExclusionWrite = Type.Static<typeof ExclusionWrite>

export const IngestionExclusionWrite = Type.Object({ ...ExclusionWrite.properties, indexonly: IndexOnly })
export type IngestionExclusionWrite = Type.Static<typeof IngestionExclusionWrite>

const Id = Type.String({ description: 'Ten hexadecimal digits' })
const Names = Type.Unsafe<readonly string[]>({ type: 'array', items: { type: 'string' } })

export const ExclusionRecord = Type.Object({
  id: Id,
  title: Type.String(),
  active: Type.Boolean(),
  apps: Names,
  hosts: Names,
  query: Type.String(),
})
export const IngestionExclusionRecord = Type.Object({
  ...ExclusionRecord.properties,
  indexonly: Type.Boolean(),
})

const RetentionConditions = {
  active: Active,
  host: Type.Optional(
    Type.String({ maxLength: MAX_HOST_CHARACTERS, default: '', description: 'Exact name' }),
  ),
  app: Type.Optional(Type.String({ maxLength: MAX_APP_CHARACTERS, default: '', description: 'Exact name' })),
  level: Type.Optional(Type.String({ maxLength: 80, default: '', description: 'Without regard to case' })),
  query: Query,
}
const RetentionMembers = {
  name: Type.String({ minLength: 1, maxLength: MAX_TITLE_CHARACTERS }),
  priority: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'Of the rules that match, the one with the lowest number decides',
  }),
  days: Type.Integer({
    minimum: 1,
    maximum: MAX_DAYS,
    description: 'How long lines are kept, if the plan does not say less; also the pool that they count in',
  }),
}

export const RetentionRuleCreate = Type.Object({ ...RetentionMembers, ...RetentionConditions })
export type RetentionRuleCreate = Type.Static<typeof RetentionRuleCreate>
export const RetentionRuleChange = Type.Partial(RetentionRuleCreate)
export type RetentionRuleChange = Type.Static<typeof RetentionRuleChange>

export const RetentionRuleRecord = Type.Object({
  id: Id,
  name: Type.String(),
  priority: Type.Integer(),
  days: Type.Integer(),
  active: Type.Boolean(),
  host: Type.String(),
  app: Type.String(),
  level: Type.String(),
  query: Type.String(),
})

const QuotaRuleWrite = Type.Object({
  percent: Type.Integer({ minimum: 1, maximum: 100, description: 'Of the limit, from which on it acts' }),
  ...Conditions,
  indexonly: IndexOnly,
  active: Active,
})

const QuotaLimitWrite = Type.Optional(
  Type.Object({
    limit: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: 'Bytes; 0: none. Changing it turns its rules off',
      }),
    ),
    discard: flag(false, 'Nothing is stored from the limit on; tails and alerts still see the lines'),
    rules: Type.Optional(Type.Array(QuotaRuleWrite, { maxItems: 5, default: [] })),
  }),
)

export const QuotaWrite = Type.Object({ daily: QuotaLimitWrite, monthly: QuotaLimitWrite })
export type QuotaWrite = Type.Static<typeof QuotaWrite>

const QuotaLimitRecord = Type.Object({
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
  in_force: Type.Unsafe<{ until: string; discard: boolean; rules: number[] } | null>({
    type: ['object', 'null'],
    description: 'What of it acts now; null: nothing',
    properties: {
      until: { type: 'string', format: 'date-time' },
      discard: { type: 'boolean' },
      rules: { type: 'array', items: { type: 'integer' }, description: 'Numbers of rules, the first is 1' },
    },
  }),
})
export const QuotaRecord = Type.Object({ daily: QuotaLimitRecord, monthly: QuotaLimitRecord })
export type QuotaRecord = Type.Static<typeof QuotaRecord>
