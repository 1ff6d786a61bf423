import Type from 'typebox'
import { isJsonObject, type JsonValue } from '../../../schemas/json.ts'
import { uriProblems } from '../../conditions/uri.ts'
import { type Problem, pointerTo } from '../../event/problem.ts'
import { declareDestination } from '../contract/define-destination.ts'
import { Secret } from '../contract/secret.ts'
import { authentication, authenticationProblems } from '../options/authentication.ts'
import { ackEnabled } from '../options/delivery-options.ts'
import { labels } from '../options/labels.ts'
import { templateProblems } from '../options/template-option.ts'

const STRATEGIES = ['basic', 'bearer', 'none'] as const

/** Streams of Loki: components, section 7.8. */
export const loki = declareDestination({
  type: 'loki',
  summary: 'Push events to Loki, in streams by their labels.',
  config: Type.Object(
    {
      ack_enabled: ackEnabled,
      endpoint: Secret({ minLength: 1, description: 'Base address of Loki' }),
      path: Type.Optional(
        Type.String({
          minLength: 1,
          default: '/loki/api/v1/push',
          description: 'Path of the push API, behind the base address',
        }),
      ),
      encoding: Type.Object(
        {
          codec: Type.Enum(['json', 'text'], {
            description: 'How an event is written: as JSON, or a text as it is',
          }),
        },
        { additionalProperties: false, description: 'How the line of an entry is made' },
      ),
      auth: authentication(STRATEGIES),
      labels: labels({
        minItems: 1,
        description: 'Labels that distinguish streams; names and values may refer to fields',
      }),
    },
    { additionalProperties: false },
  ),
  check: sent => [
    ...uriProblems('/endpoint', sent.endpoint),
    ...authenticationProblems(sent.auth, STRATEGIES),
    ...labelProblems(sent.labels),
  ],
  configs: [
    {
      sent: {
        endpoint: 'https://loki.example.com',
        encoding: { codec: 'json' },
        auth: { strategy: 'basic', user: 'weir', password: 'secret' },
        labels: [{ label_name: 'app', label_value: '{{ .app }}' }],
      },
      defaults: { ack_enabled: true, path: '/loki/api/v1/push' },
    },
    {
      sent: {
        ack_enabled: false,
        endpoint: 'http://127.0.0.1:3100',
        path: 'push',
        encoding: { codec: 'text' },
        auth: { strategy: 'bearer', token: 'secret' },
        labels: [{ label_name: 'environment', label_value: 'production' }],
      },
    },
  ],
})

function labelProblems(sent: JsonValue | undefined): Problem[] {
  if (!Array.isArray(sent)) return []
  return sent.flatMap((label, index) =>
    ['label_name', 'label_value'].flatMap(member =>
      templateProblems(
        pointerTo(pointerTo('/labels', index), member),
        isJsonObject(label) ? label[member] : undefined,
      ),
    ),
  )
}
