import { configurationEventOf } from '../../schemas/log/configuration.ts'
import { DEFAULT_RETENTION_DAYS } from '../../schemas/log/cuts.ts'
import { parseJson } from '../json/json-text.ts'
import type { Topic } from '../log/log.ts'
import { recordsBetween } from '../log/records-between.ts'
import { type Account, accounts } from './entities.ts'
import { type LineRules, lineRules } from './kinds/line-rules.ts'
import { isSnapshotPart } from './snapshot.ts'

/**
 * Finds the shortest retention, in days, that each account ever had by its plan or by a rule. The configuration log is kept
 * forever, so this holds for lines of any age. A partition stores with the default until it knows the account's retention.
 *
 * @param topic of the configuration log
 * @returns a function of the account; for an account that the log does not know, it returns the default
 */
export async function leastRetentionDays(topic: Topic): Promise<(account: string) => number> {
  const least = new Map<string, number>()
  for await (const record of recordsBetween(topic, 0, await topic.bounds(0))) {
    if (isSnapshotPart(record)) continue
    for (const { kind, entity, value } of configurationEventOf(record.value).changes) {
      const days = value === '' ? [] : daysOf(kind, parseJson(value))
      if (days.length > 0) least.set(entity, Math.min(least.get(entity) ?? DEFAULT_RETENTION_DAYS, ...days))
    }
  }
  return account => least.get(account) ?? DEFAULT_RETENTION_DAYS
}

/** Retention of an account, or of rules on its lines: the key of both is the account's short id. */
function daysOf(kind: string, value: unknown): number[] {
  if (kind === accounts.name) return [(value as Account).retentionDays]
  if (kind !== lineRules.name) return []
  return (value as LineRules).retentionRules.filter(({ active }) => active).map(({ days }) => days)
}
