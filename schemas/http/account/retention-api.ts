import Type from 'typebox'
import { named } from '../../named.ts'

/** Retention of an account's lines. The account API of enterprises accepts only 0 to 90 days; this resource is Weir's own. */

/** Upper limit for an account and for a new rule. Stored rules with more days remain valid. */
export const MAX_RETENTION_DAYS = 3_650

const Days = Type.Integer({
  minimum: 1,
  maximum: MAX_RETENTION_DAYS,
  description: 'Retention in days of lines that arrive from now on, unless a retention rule applies to them',
})

export const RetentionWrite = named('RetentionWrite', Type.Object({ days: Days }))
export const RetentionRecord = named(
  'RetentionRecord',
  Type.Object({
    days: Type.Integer({ description: '0: lines are accepted and never found' }),
  }),
)
export type RetentionRecord = Type.Static<typeof RetentionRecord>
