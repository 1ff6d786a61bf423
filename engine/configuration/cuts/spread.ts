import type { SpreadCut } from '../../../schemas/log/cuts.ts'
import { type Spread, spreads } from '../entities.ts'
import { defineEntityCuts } from './entity-cuts.ts'

/** Cuts of changes between one partition and many. The spread of an account is never removed. */
export const spreadCuts = defineEntityCuts<Spread>({
  cut: 'spread',
  kind: spreads,

  payloadOf({ value }) {
    const payload: SpreadCut = { isSpread: value.enabled }
    return JSON.stringify(payload)
  },

  changes: {
    of: ({ change }) => change,
    set: (spread, change) => ({ ...spread, change }),
  },

  withoutEffect: ({ entity }) => ({ account: entity, enabled: false, change: 0, spans: [] }),
})
