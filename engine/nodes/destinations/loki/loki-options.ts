import Type, { type Static } from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import { uriProblems } from '../../../conditions/uri.ts'
import { type Problem, pointerTo } from '../../../event/problem.ts'
import { Secret } from '../../contract/secret.ts'
import { credentialTextProblems } from '../../http/http-headers.ts'
import { authentication, authenticationProblems } from '../../options/authentication.ts'
import { ackEnabled } from '../../options/delivery-options.ts'
import { labels } from '../../options/labels.ts'
import { templateProblems } from '../../options/template-option.ts'

const STRATEGIES = ['basic', 'bearer', 'none'] as const

/** Options of the destination: components, section 7.8. */
export const LokiOptions = Type.Object(
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
          description: 'Form of an event: JSON, or a text as it is',
        }),
      },
      { additionalProperties: false, description: 'Form of the line of an entry' },
    ),
    auth: authentication(STRATEGIES),
    labels: labels({
      minItems: 1,
      description: 'Labels that distinguish streams; names and values may refer to fields',
    }),
  },
  { additionalProperties: false },
)

export type LokiConfig = Static<typeof LokiOptions>

/** Checks rules that the schema cannot express. */
export function lokiProblems(sent: JsonObject): Problem[] {
  return [
    ...uriProblems('/endpoint', sent.endpoint),
    ...authenticationProblems(sent.auth, STRATEGIES),
    ...credentialTextProblems(sent.auth),
    ...labelProblems(sent.labels),
  ]
}

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
