import Type from 'typebox'
import { declareDestination } from '../contract/define-destination.ts'
import { datadogAccountOptions } from '../options/datadog-account.ts'
import { ackEnabled } from '../options/delivery-options.ts'

/** Logs of Datadog: components, section 7.9. */
export const datadogLogs = declareDestination({
  type: 'datadog-logs',
  summary: 'Send events to the log management of Datadog.',
  config: Type.Object(
    {
      ack_enabled: ackEnabled,
      ...datadogAccountOptions,
      compression: Type.Enum(['none', 'gzip'], { description: 'Compression of sent data' }),
    },
    { additionalProperties: false },
  ),
  configs: [
    {
      sent: { api_key: 'key', site: 'eu1', compression: 'gzip' },
      defaults: { ack_enabled: true },
    },
    {
      sent: { ack_enabled: false, api_key: 'key', site: 'us1', compression: 'none' },
    },
  ],
})
