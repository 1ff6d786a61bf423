import { configurationEventType } from '../../schemas/configuration.ts'
import { parseJson } from '../json-text.ts'
import type { Topic } from '../log/log.ts'
import { DEFAULT_RETENTION_DAYS } from '../runtime/account-state.ts'
import { type Account, accounts } from './entities.ts'
import { isSnapshotPart } from './snapshot.ts'

const READ_BYTES = 4_000_000

/**
 * The shortest retention, in days, that each account has ever been given. The configuration log is kept for ever, so
 * this holds for lines of any age; a partition stores with the default until it has been told.
 *
 * @param topic of the configuration log
 * @returns for any account; of one that the log does not know, the default
 */
export async function leastRetentionDays(topic: Topic): Promise<(account: string) => number> {
  const least = new Map<string, number>()
  const { first, next } = await topic.bounds(0)
  for (let offset = first; offset < next; ) {
    const records = await topic.read(0, offset, READ_BYTES)
    if (records.length === 0) break
    for (const record of records) {
      offset = record.offset + 1n
      if (isSnapshotPart(record)) continue
      for (const { kind, entity, value } of configurationEventType.decode(record.value).changes) {
        if (kind !== accounts.name || value === '') continue
        const { retentionDays } = parseJson(value) as unknown as Account
        least.set(entity, Math.min(least.get(entity) ?? DEFAULT_RETENTION_DAYS, retentionDays))
      }
    }
  }
  return account => least.get(account) ?? DEFAULT_RETENTION_DAYS
}
