import Type from 'typebox'
import { declareDestination } from '../contract/define-destination.ts'
import { datadogAccountOptions } from '../options/datadog-account.ts'
import { ackEnabled } from '../options/delivery-options.ts'

/** Metrics of Datadog: components, section 7.9. */
export const datadogMetrics = declareDestination({
  type: 'datadog-metrics',
  summary: 'Send metrics to Datadog.',
  config: Type.Object({ ack_enabled: ackEnabled, ...datadogAccountOptions }, { additionalProperties: false }),
  configs: [
    {
      sent: { api_key: 'key', site: 'us3' },
      defaults: { ack_enabled: true },
    },
    {
      sent: { ack_enabled: false, api_key: 'key', site: 'us5' },
    },
  ],
})
