import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { create, replace } from '../../engine/configuration/configuration-log.ts'
import { quotaLedgerOn } from '../../engine/configuration/kinds/quota-ledger.ts'
import {
  noQuota,
  type Quota,
  type QuotaLimit,
  quotaStates,
  quotas,
} from '../../engine/configuration/kinds/quotas.ts'
import { StoreError } from '../../engine/store/store.ts'
import { judge, usedBytesIn } from '../../engine/worker/quota-watch.ts'
import { QuotaRecord, QuotaWrite } from '../../schemas/http/line-rules-api.ts'
import type { QuotaPeriod } from '../../schemas/log/cuts.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { authorOf } from '../configuration/author.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { V1_ERROR_REPLIES } from '../configuration/replies.ts'
import { untilNotOvertaken } from '../http/overtaken.ts'

const PATH = '/v1/config/usage-quotas'

/** How much is stored in a day and in a month, and what happens then. */
export const quotaRoutes: FastifyPluginAsyncTypebox<ConfigurationPorts> = async (
  app,
  { configuration, clock, inEffect, store },
) => {
  const config = { needs: 'admin' as const }
  const tags = ['line rules']
  const response = { 200: QuotaRecord, ...V1_ERROR_REPLIES }
  const quotaOf = (account: string) => configuration.get(quotas, account)?.value ?? noQuota(account)

  const record = (caller: Caller): QuotaRecord => {
    const { shortId: account } = accountOf(caller)
    const quota = quotaOf(account)
    return { daily: shown(account, quota, 'daily'), monthly: shown(account, quota, 'monthly') }
  }

  const shown = (account: string, quota: Quota, period: QuotaPeriod): QuotaRecord['daily'] => {
    const { limit, discard, rules } = quota[period]
    // Without a limit nothing acts, or only until it is decided while the store is away.
    return { limit, discard, rules: [...rules], in_force: limit === 0 ? null : inForce(account, period) }
  }

  const inForce = (account: string, period: QuotaPeriod): QuotaRecord['daily']['in_force'] => {
    const all = configuration.get(quotaStates, account)?.value.inForce ?? []
    const acting = all.find(each => each.period === period)
    if (acting === undefined || acting.untilMs <= clock.wallMs()) return null
    return {
      until: new Date(acting.untilMs).toISOString(),
      discard: acting.discards,
      rules: acting.rules.map(({ number }) => number),
    }
  }

  const ledger = quotaLedgerOn(configuration)

  /** Decides what follows of a changed quota, and waits until the next line meets it. */
  const putInEffect = async (account: string): Promise<void> => {
    const quota = ledger.quotaOf(account)
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

  app.get(
    PATH,
    {
      config,
      schema: { summary: 'Read how much of the account is stored in a day and in a month', tags, response },
    },
    async ({ caller }) => record(caller),
  )

  app.put(
    PATH,
    {
      config,
      schema: {
        summary: 'Limit how much of the account is stored in a day and in a month',
        description: 'A changed limit turns its rules off; a first one takes them as they are sent.',
        tags,
        body: QuotaWrite,
        response,
      },
    },
    async ({ caller, body }) => {
      const { shortId: account } = accountOf(caller)
      const sent = { account, daily: limitOf(body.daily), monthly: limitOf(body.monthly) }
      await untilNotOvertaken(async () => {
        const before = configuration.get(quotas, account)
        const value: Quota = {
          account,
          daily: taken(quotaOf(account).daily, sent.daily),
          monthly: taken(quotaOf(account).monthly, sent.monthly),
        }
        const change = before === undefined ? create(quotas, account, value) : replace(quotas, before, value)
        await configuration.append([change], authorOf(caller))
      })
      await putInEffect(account)
      return record(caller)
    },
  )
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
