import type { QuotaCut } from '../../../schemas/log/cuts.ts'
import { quotaStates } from '../kinds/quotas.ts'
import { defineEntityCuts } from './entity-cuts.ts'

export const quotaCuts = defineEntityCuts({
  cut: 'quota',
  kind: quotaStates,

  payloadOf({ id, value }) {
    const periods = value.inForce.map(({ period, untilMs, discards, rules }) => ({
      period,
      untilMs,
      discards,
      rules: rules.map(({ number, apps, hosts, query, indexonly }) => {
        return { number, apps, hosts, query, entirely: !indexonly }
      }),
    }))
    return { accountId: id, periods }
  },

  withoutEffect: ({ payload }) => ({ account: (JSON.parse(payload) as QuotaCut).accountId, inForce: [] }),
})
