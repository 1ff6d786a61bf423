import { create, replace } from '../../engine/configuration/configuration-log.ts'
import { type QuotaLedger, quotaLedgerOn } from '../../engine/configuration/kinds/quota-ledger.ts'
import {
  noQuota,
  type Quota,
  type QuotaLimit,
  quotaStates,
  quotas,
} from '../../engine/configuration/kinds/quotas.ts'
import { StoreError } from '../../engine/store/store.ts'
import { boundsOf, judge, usedBytesIn } from '../../engine/worker/quota-watch.ts'
import type { QuotaRecord, QuotaWrite } from '../../schemas/http/account/line-rules-api.ts'
import type { QuotaPeriod } from '../../schemas/log/cuts.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { authorOf } from '../configuration/author.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { isoTime } from '../http/iso-time.ts'
import { untilNotOvertaken } from '../http/overtaken.ts'

type QuotaPorts = Pick<ConfigurationPorts, 'configuration' | 'clock' | 'inEffect' | 'store'>

/** Quota of the caller's account, with the limits that are in force because of it. */
export class AccountQuotas {
  readonly #ports: QuotaPorts
  readonly #ledger: QuotaLedger

  constructor(ports: QuotaPorts) {
    this.#ports = ports
    this.#ledger = quotaLedgerOn(ports.configuration)
  }

  async record(caller: Caller): Promise<QuotaRecord> {
    const { shortId: account } = accountOf(caller)
    const quota = this.#quotaOf(account)
    const [daily, monthly] = await Promise.all([
      this.#shown(account, quota, 'daily'),
      this.#shown(account, quota, 'monthly'),
    ])
    return { daily, monthly }
  }

  /** Returns once the next line of the account meets the consequences, or the wait for them is over. */
  async set(caller: Caller, sent: QuotaWrite): Promise<void> {
    const { configuration } = this.#ports
    const { shortId: account } = accountOf(caller)
    const [daily, monthly] = [limitOf(sent.daily), limitOf(sent.monthly)]
    await untilNotOvertaken(async () => {
      const before = configuration.get(quotas, account)
      const value: Quota = {
        account,
        daily: taken(this.#quotaOf(account).daily, daily),
        monthly: taken(this.#quotaOf(account).monthly, monthly),
      }
      const change = before === undefined ? create(quotas, account, value) : replace(quotas, before, value)
      await configuration.append([change], authorOf(caller))
    })
    await this.#putInEffect(account)
  }

  #quotaOf(account: string): Quota {
    return this.#ports.configuration.get(quotas, account)?.value ?? noQuota(account)
  }

  async #shown(account: string, quota: Quota, period: QuotaPeriod): Promise<QuotaRecord['daily']> {
    const { limit, discard, rules } = quota[period]
    // Without a limit nothing acts, or only until it is decided while the store is away.
    return {
      limit,
      discard,
      rules: [...rules],
      used: await this.#usedBytes(account, period),
      in_force: limit === 0 ? null : this.#inForce(account, period),
    }
  }

  /** Bytes of the present day or month; null while the store does not answer. */
  async #usedBytes(account: string, period: QuotaPeriod): Promise<number | null> {
    const { store, clock } = this.#ports
    if (store === undefined) return null
    const { fromMs, untilMs } = boundsOf(period, clock.wallMs())
    try {
      return await usedBytesIn(store)({ account, fromMs, toMs: untilMs - 1 })
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      return null
    }
  }

  #inForce(account: string, period: QuotaPeriod): QuotaRecord['daily']['in_force'] {
    const { configuration, clock } = this.#ports
    const all = configuration.get(quotaStates, account)?.value.inForce ?? []
    const acting = all.find(each => each.period === period)
    if (acting === undefined || acting.untilMs <= clock.wallMs()) return null
    return {
      until: isoTime(acting.untilMs),
      discard: acting.discards,
      rules: acting.rules.map(({ number }) => number),
    }
  }

  /** Derives the consequences of a changed quota, and waits until the next line meets them. */
  async #putInEffect(account: string): Promise<void> {
    const { configuration, clock, inEffect, store } = this.#ports
    const quota = this.#ledger.quotaOf(account)
    if (quota === undefined || store === undefined) return
    const version = () => configuration.get(quotaStates, account)?.version ?? 0
    const before = version()
    try {
      await judge(quota, usedBytesIn(store), clock.wallMs())
    } catch (error) {
      // The quota is set all the same: the engine, which compares again and again, does so when the store is back.
      if (!(error instanceof StoreError)) throw error
      return
    }
    if (version() !== before) await inEffect?.whenInEffect(account, 'quota', account, version())
  }
}

function limitOf({ limit = 0, discard = false, rules = [] }: QuotaWrite['daily'] = {}): QuotaLimit {
  return {
    limit,
    discard,
    rules: rules.map(({ percent, apps = [], hosts = [], query = '', indexonly = true, active = false }) => {
      return { percent, apps, hosts, query, indexonly, active }
    }),
  }
}

/** A percentage of another limit is something else: rules of a limit that changes are to be turned on anew. */
function taken(before: QuotaLimit, sent: QuotaLimit): QuotaLimit {
  if (before.limit === 0 || before.limit === sent.limit) return sent
  return { ...sent, rules: sent.rules.map(rule => ({ ...rule, active: false })) }
}
