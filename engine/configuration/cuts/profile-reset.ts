import { profileResets } from '../kinds/profile-reset.ts'
import { defineEntityCuts } from './entity-cuts.ts'

export const profileResetCuts = defineEntityCuts({
  cut: 'profile-reset',
  kind: profileResets,

  payloadOf: ({ value: { account, pipeline, node } }) => ({ accountId: account, pipeline, node }),

  withoutEffect: () => undefined,
})
