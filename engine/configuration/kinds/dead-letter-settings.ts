import { DAY_MS } from '../../times/duration.ts'
import { type DeadLetterSettings, deadLetterSettings } from '../entities.ts'
import type { ConfigurationView } from '../kind.ts'

/** Settings of a pipeline that never set any. */
export const DEFAULT_DEAD_LETTER_SETTINGS: Omit<DeadLetterSettings, 'account'> = {
  enabled: false,
  retentionDays: 7,
  giveUpAfterS: null,
}

/** Retention of dead letters on the log: the longest retention of any pipeline. */
export function deadLetterRetentionMs(view: ConfigurationView): number {
  const settings = view.list(deadLetterSettings)
  if (settings.length === 0) return DEFAULT_DEAD_LETTER_SETTINGS.retentionDays * DAY_MS
  return settings.reduce((most, { value }) => Math.max(most, value.retentionDays), 0) * DAY_MS
}
