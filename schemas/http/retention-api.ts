import Type from 'typebox'
import { named } from '../named.ts'

/**
 * How long the lines of an account are kept. The account API of enterprises shows and takes 0 to 90 days alone; this
 * resource is Weir's own.
 */

/** Of an account, and of a rule. Rules that were saved with more are valid. */
export const MAX_RETENTION_DAYS = 3_650

const Days = Type.Integer({
  minimum: 1,
  maximum: MAX_RETENTION_DAYS,
  description:
    'Days that lines which come from now on are kept and found, where no rule on retention says otherwise',
})

export const RetentionWrite = named('RetentionWrite', Type.Object({ days: Days }))
export const RetentionRecord = named(
  'RetentionRecord',
  Type.Object({
    days: Type.Integer({ description: '0: lines are accepted, and never found' }),
  }),
)
export type RetentionRecord = Type.Static<typeof RetentionRecord>
