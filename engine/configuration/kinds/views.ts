import { type ChannelRecord, isHarmlessChannelMember } from '../../../schemas/http/account/channel.ts'
import type { ConfigurationView, Entity } from '../kind.ts'
import { defineKind } from '../kind.ts'
import { type PresetAlert, presetAlerts } from './preset-alerts.ts'

/** A saved search, with alerts on its results. Key: ten hexadecimal digits. */
export interface View {
  readonly account: string
  readonly name: string
  readonly query: string
  readonly hosts: readonly string[]
  readonly apps: readonly string[]
  readonly tags: readonly string[]
  readonly levels: readonly string[]
  /** Ids of categories, some of which may have been removed; see `categoryNames`. */
  readonly categories: readonly string[]
  /** Id of a preset alert, which may have been removed; see `presetAlertOf`. */
  readonly presetAlert: string | null
  /** The view's own channels; empty with a preset alert. */
  readonly channels: readonly ChannelRecord[]
  readonly createdAtMs: number
}

/** Channels contain keys, and addresses that grant access like keys. */
export const views = defineKind<View>('view', {
  account: ({ account }) => account,
  isUserSized: true,
  sealed: ['channels'],
  isHarmless: isHarmlessChannelMember,
})

/** The preset alert that a view uses, until it is deleted. */
export function presetAlertOf(configuration: ConfigurationView, view: View): Entity<PresetAlert> | undefined {
  return view.presetAlert === null ? undefined : configuration.get(presetAlerts, view.presetAlert)
}

/** Present channels of the alerts on a view. */
export function channelsOf(configuration: ConfigurationView, view: View): readonly ChannelRecord[] {
  return presetAlertOf(configuration, view)?.value.channels ?? view.channels
}
