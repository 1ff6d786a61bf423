import { type ChannelRecord, isHarmlessChannelMember } from '../../../schemas/http/channel.ts'
import type { ConfigurationView, Entity } from '../kind.ts'
import { defineKind } from '../kind.ts'
import { type PresetAlert, presetAlerts } from './preset-alerts.ts'

/** A search that is kept, with alerts on what it finds. Key: ten hexadecimal digits. */
export interface View {
  readonly account: string
  readonly name: string
  readonly query: string
  readonly hosts: readonly string[]
  readonly apps: readonly string[]
  readonly tags: readonly string[]
  readonly levels: readonly string[]
  /** Ids, some perhaps of categories that are gone; see `categoryNames`. */
  readonly categories: readonly string[]
  /** Id of a preset alert, perhaps of one that is gone; see `presetAlertOf`. */
  readonly presetAlert: string | null
  /** Of its own: empty with a preset alert. */
  readonly channels: readonly ChannelRecord[]
  readonly createdAtMs: number
}

/** Channels hold keys, and addresses that are as good as keys. */
export const views = defineKind<View>('view', {
  account: ({ account }) => account,
  sealed: ['channels'],
  isHarmless: isHarmlessChannelMember,
})

/** The preset alert that a view uses, until it is deleted. */
export function presetAlertOf(configuration: ConfigurationView, view: View): Entity<PresetAlert> | undefined {
  return view.presetAlert === null ? undefined : configuration.get(presetAlerts, view.presetAlert)
}

/** Where alerts on a view go now. */
export function channelsOf(configuration: ConfigurationView, view: View): readonly ChannelRecord[] {
  return presetAlertOf(configuration, view)?.value.channels ?? view.channels
}
