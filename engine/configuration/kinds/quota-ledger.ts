import { type ConfigurationLog, create, replace } from '../configuration-log.ts'
import { ConfigurationRejected } from '../rejection.ts'
import { type Quota, type QuotaInForce, quotaStates, quotas } from './quotas.ts'

/** A quota with the last decision about it. */
export interface JudgedQuota {
  readonly quota: Quota
  readonly inForce: readonly QuotaInForce[]
  /** Writes a new decision, unless the quota changed in the meantime: then the next round decides. */
  decide(inForce: readonly QuotaInForce[]): Promise<void>
}

/** The quotas, for the process that measures the stored volume. */
export interface QuotaLedger {
  /** Quotas with a limit, and quotas whose last decision may still apply. */
  quotas(): Iterable<JudgedQuota>
  /** Quota of an account, if one was ever set. */
  quotaOf(account: string): JudgedQuota | undefined
  /** Calls the listener after each change of the configuration; the returned function ends the subscription. */
  subscribe(listener: () => void): () => void
}

/** Author of decisions in the audit. */
const ENGINE_SUBJECT = 'engine'

export function quotaLedgerOn(log: ConfigurationLog): QuotaLedger {
  const judged = (quota: Quota): JudgedQuota => {
    const { account } = quota
    const before = log.get(quotaStates, account)
    return {
      quota,
      inForce: before?.value.inForce ?? [],
      decide: async inForce => {
        const value = { account, inForce }
        const change =
          before === undefined ? create(quotaStates, account, value) : replace(quotaStates, before, value)
        const author = { subjectId: ENGINE_SUBJECT, account, isProgram: true }
        await log.append([change], author).catch(unlessOvertaken)
      },
    }
  }
  return {
    *quotas() {
      for (const { id, value } of log.list(quotas)) {
        const decided = log.get(quotaStates, id)?.value.inForce ?? []
        if (value.daily.limit + value.monthly.limit + decided.length > 0) yield judged(value)
      }
    },
    quotaOf: account => {
      const quota = log.get(quotas, account)?.value
      return quota && judged(quota)
    },
    subscribe: listener => log.subscribe(listener),
  }
}

function unlessOvertaken(error: unknown): void {
  if (error instanceof ConfigurationRejected && error.code === 'CHANGED_MEANWHILE') return
  throw error
}
