import Type from 'typebox'
import type { JsonValue } from '../../../schemas/json.ts'
import { uriProblems } from '../../conditions/uri.ts'
import { type Problem, pointerTo } from '../../event/problem.ts'
import { declareDestination } from '../contract/define-destination.ts'
import { Secret } from '../contract/secret.ts'
import { authentication, authenticationProblems } from '../options/authentication.ts'
import { ackEnabled, compression } from '../options/delivery-options.ts'
import { templateProblems } from '../options/template-option.ts'

const STRATEGIES = ['basic', 'aws'] as const

/** Documents of Elasticsearch or OpenSearch: components, section 7.7. */
export const elasticsearch = declareDestination({
  type: 'elasticsearch',
  summary: 'Index events as documents of Elasticsearch or OpenSearch.',
  config: Type.Object(
    {
      ack_enabled: ackEnabled,
      endpoints: Type.Array(Secret({ minLength: 1, description: 'Base address' }), {
        minItems: 1,
        description: 'Base addresses, used in turn',
      }),
      auth: authentication(STRATEGIES),
      compression,
      index: Type.Optional(
        Type.String({
          minLength: 1,
          default: 'logs-%Y.%m.%d',
          description: 'Index of a document; may refer to fields and to the time of the event (%Y, %m, %d)',
        }),
      ),
      pipeline: Type.Optional(
        Type.String({ minLength: 1, description: 'Ingest pipeline that documents pass' }),
      ),
    },
    { additionalProperties: false },
  ),
  check: sent => [
    ...endpointProblems(sent.endpoints),
    ...authenticationProblems(sent.auth, STRATEGIES),
    ...templateProblems('/index', sent.index),
  ],
  configs: [
    {
      sent: {
        endpoints: ['https://search.example.com:9200'],
        auth: { strategy: 'basic', user: 'weir', password: 'secret' },
      },
      defaults: { ack_enabled: true, compression: 'none', index: 'logs-%Y.%m.%d' },
    },
    {
      sent: {
        ack_enabled: false,
        endpoints: ['https://a.example.com', 'https://b.example.com'],
        auth: {
          strategy: 'aws',
          user: '',
          password: '',
          access_key_id: 'AKIAEXAMPLE',
          secret_access_key: 'secret',
          region: 'eu-central-1',
        },
        compression: 'gzip',
        index: '{{ .app }}-%Y.%m',
        pipeline: 'geoip',
      },
    },
  ],
})

function endpointProblems(endpoints: JsonValue | undefined): Problem[] {
  if (!Array.isArray(endpoints)) return []
  return endpoints.flatMap((endpoint, index) => uriProblems(pointerTo('/endpoints', index), endpoint))
}
