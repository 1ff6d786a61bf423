import { spreads } from '../entities.ts'
import { defineEntityCuts } from './entity-cuts.ts'

/** Cuts of changes between one partition and many. The spread of an account is never removed. */
export const spreadCuts = defineEntityCuts({
  cut: 'spread',
  kind: spreads,

  payloadOf: ({ value }) => ({ isSpread: value.enabled }),

  changes: {
    of: ({ change }) => change,
    set: (spread, change) => ({ ...spread, change }),
  },

  withoutEffect: ({ entity }) => ({ account: entity, enabled: false, change: 0, spans: [] }),
})
