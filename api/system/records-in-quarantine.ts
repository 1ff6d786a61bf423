import { accounts } from '../../engine/configuration/entities.ts'
import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import { newestQuarantines } from '../../engine/configuration/kinds/quarantine.ts'
import type { QuarantinedRecord } from '../../schemas/http/system-api.ts'
import type { Caller } from '../auth/caller.ts'
import { isoTime } from '../http/iso-time.ts'

/** Records in quarantine of the caller's account, or of all accounts of the caller's enterprise; the newest first. */
export function recordsInQuarantine(
  view: ConfigurationView,
  { account, enterpriseId }: Pick<Caller, 'account' | 'enterpriseId'>,
): QuarantinedRecord[] {
  const isSeen = (shortId: string) =>
    account === undefined
      ? enterpriseId !== undefined && view.get(accounts, shortId)?.value.enterprise === enterpriseId
      : account.shortId === shortId
  return newestQuarantines(view)
    .filter(value => isSeen(value.account))
    .map(({ sinceMs, isComplete, topic, partition, offset, node, account: owner, by }) => ({
      ...{ topic, partition, offset, node, account: owner },
      ...{ since: isoTime(sinceMs), by, complete: isComplete },
    }))
}
