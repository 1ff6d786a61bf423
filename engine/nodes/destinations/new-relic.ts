import Type from 'typebox'
import { declareDestination } from '../contract/define-destination.ts'
import { Secret } from '../contract/secret.ts'
import { ackEnabled } from '../options/delivery-options.ts'

/** An account of New Relic: components, section 7.9. */
export const newRelic = declareDestination({
  type: 'new-relic',
  summary: 'Send events to New Relic, as logs, metrics or events.',
  config: Type.Object(
    {
      ack_enabled: ackEnabled,
      account_id: Type.String({ minLength: 1, description: 'Account to send to' }),
      license_key: Secret({ minLength: 1, description: 'License key of the account' }),
      api: Type.Optional(
        Type.Enum(['logs', 'metrics', 'events'], {
          default: 'logs',
          description: 'API to send to, which determines the form of the events',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  configs: [
    {
      sent: { account_id: '1234567', license_key: 'key' },
      defaults: { ack_enabled: true, api: 'logs' },
    },
    {
      sent: { ack_enabled: false, account_id: '1234567', license_key: 'key', api: 'metrics' },
    },
  ],
})
