import type { DeadLetterCut } from '../../../schemas/log/cuts.ts'
import { deadLetterSettings } from '../entities.ts'
import { DEFAULT_DEAD_LETTER_SETTINGS } from '../kinds/dead-letter-settings.ts'
import { defineEntityCuts } from './entity-cuts.ts'

export const deadLetterCuts = defineEntityCuts({
  cut: 'dead-letter',
  kind: deadLetterSettings,

  payloadOf: ({ value }) => ({ accountId: value.account, isEnabled: value.enabled }),

  withoutEffect({ payload }) {
    const { accountId: account } = JSON.parse(payload) as DeadLetterCut
    return { account, ...DEFAULT_DEAD_LETTER_SETTINGS }
  },
})
