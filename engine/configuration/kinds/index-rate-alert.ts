import type { IndexRateAlertRecord } from '../../../schemas/http/index-rate-alert.ts'
import { defineKind } from '../kind.ts'

/** Says when an account stores more lines than is usual. Key: the short id of the account. */
export interface IndexRateAlert extends IndexRateAlertRecord {
  readonly account: string
}

/** Of accounts that never said anything else. */
export const DEFAULT_INDEX_RATE_ALERT: IndexRateAlertRecord = {
  threshold_alert: 'separate',
  frequency: 'hourly',
  channels: { email: [], pagerduty: [], slack: [], webhook: [] },
  enabled: false,
}

/** Channels hold keys, and addresses that are as good as keys. */
export const indexRateAlerts = defineKind<IndexRateAlert>('index-rate-alert', {
  account: ({ account }) => account,
  sealed: ['channels'],
  isHarmless: place => place === 'webhook.method',
})
