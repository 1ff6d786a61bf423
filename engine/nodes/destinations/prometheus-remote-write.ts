import Type from 'typebox'
import { uriProblems } from '../../conditions/uri.ts'
import { declareDestination } from '../contract/define-destination.ts'
import { Secret } from '../contract/secret.ts'
import { authentication, authenticationProblems } from '../options/authentication.ts'
import { ackEnabled } from '../options/delivery-options.ts'

const STRATEGIES = ['none', 'basic', 'bearer'] as const

/** Metrics for receivers of Prometheus remote write: components, section 7.9. */
export const prometheusRemoteWrite = declareDestination({
  type: 'prometheus-remote-write',
  summary: 'Send metrics by Prometheus remote write.',
  config: Type.Object(
    {
      ack_enabled: ackEnabled,
      endpoint: Secret({ minLength: 1, description: 'Address to write to, with its path' }),
      auth: Type.Optional(authentication(STRATEGIES, { default: { strategy: 'none' } })),
    },
    { additionalProperties: false },
  ),
  check: sent => [
    ...uriProblems('/endpoint', sent.endpoint),
    ...authenticationProblems(sent.auth, STRATEGIES),
  ],
  configs: [
    {
      sent: { endpoint: 'https://metrics.example.com/api/v1/push' },
      defaults: { ack_enabled: true, auth: { strategy: 'none' } },
    },
    {
      sent: {
        ack_enabled: false,
        endpoint: 'https://metrics.example.com/api/v1/push',
        auth: { strategy: 'bearer', user: '', password: '', token: 'secret' },
      },
    },
    {
      sent: {
        endpoint: 'http://127.0.0.1:9090/api/v1/write',
        auth: { strategy: 'basic', user: 'weir', password: 'secret', token: '' },
      },
      defaults: { ack_enabled: true },
    },
  ],
})
