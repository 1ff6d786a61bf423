import Type from 'typebox'
import { declareDestination } from '../contract/define-destination.ts'
import { Secret } from '../contract/secret.ts'
import { ackEnabled } from '../options/delivery-options.ts'

/** A dataset of Honeycomb: components, section 7.9. */
export const honeycombLogs = declareDestination({
  type: 'honeycomb-logs',
  summary: 'Send events to a dataset of Honeycomb.',
  config: Type.Object(
    {
      ack_enabled: ackEnabled,
      api_key: Secret({ minLength: 1, description: 'API key that may send events' }),
      dataset: Type.String({ minLength: 1, description: 'Dataset to send to' }),
    },
    { additionalProperties: false },
  ),
  configs: [
    {
      sent: { api_key: 'key', dataset: 'web' },
      defaults: { ack_enabled: true },
    },
    {
      sent: { ack_enabled: false, api_key: 'key', dataset: 'web' },
    },
  ],
})
