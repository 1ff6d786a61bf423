import type { IndexRateAlertRecord } from '../../../schemas/http/account/index-rate-alert.ts'
import { defineKind } from '../kind.ts'

/** Alert on an account that stores more lines than usual. Key: the short id of the account. */
export interface IndexRateAlert extends IndexRateAlertRecord {
  readonly account: string
}

/** Settings of an account that never set any. */
export const DEFAULT_INDEX_RATE_ALERT: IndexRateAlertRecord = {
  threshold_alert: 'separate',
  frequency: 'hourly',
  channels: { email: [], pagerduty: [], slack: [], webhook: [] },
  enabled: false,
}

/** Channels contain keys, and addresses that grant access like keys. */
export const indexRateAlerts = defineKind<IndexRateAlert>('index-rate-alert', {
  account: ({ account }) => account,
  isUserSized: true,
  sealed: ['channels'],
  isHarmless: place => place === 'webhook.method',
})
