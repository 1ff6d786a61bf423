import { type ChannelRecord, isHarmlessChannelMember } from '../../../schemas/http/account/channel.ts'
import { defineKind } from '../kind.ts'

/** Channels that views share. Key: ten hexadecimal digits. */
export interface PresetAlert {
  readonly account: string
  readonly name: string
  readonly channels: readonly ChannelRecord[]
  readonly createdAtMs: number
  readonly modifiedAtMs: number
}

/** Channels contain keys, and addresses that grant access like keys. */
export const presetAlerts = defineKind<PresetAlert>('preset-alert', {
  account: ({ account }) => account,
  isUserSized: true,
  sealed: ['channels'],
  isHarmless: isHarmlessChannelMember,
})
