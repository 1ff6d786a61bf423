import Type, { type Static } from 'typebox'
import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { uriProblems } from '../../../conditions/uri.ts'
import { type Problem, pointerTo } from '../../../event/problem.ts'
import { Secret } from '../../contract/secret.ts'
import { datedTemplateProblems } from '../../http/dated-template.ts'
import { authentication, authenticationProblems } from '../../options/authentication.ts'
import { ackEnabled, compression } from '../../options/delivery-options.ts'
import { templateProblems } from '../../options/template-option.ts'

const STRATEGIES = ['basic', 'aws'] as const

/** Options of the destination: components, section 7.7. */
export const ElasticsearchOptions = Type.Object(
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
)

export type ElasticsearchConfig = Static<typeof ElasticsearchOptions>

/** Checks rules that the schema cannot express. */
export function elasticsearchProblems(sent: JsonObject): Problem[] {
  return [
    ...endpointProblems(sent.endpoints),
    ...authenticationProblems(sent.auth, STRATEGIES),
    ...templateProblems('/index', sent.index),
  ]
}

/** @param config checked options */
export function elasticsearchPublishProblems(config: JsonObject): Problem[] {
  const { index } = config as unknown as ElasticsearchConfig
  return index === undefined ? [] : datedTemplateProblems('/index', index)
}

function endpointProblems(endpoints: JsonValue | undefined): Problem[] {
  if (!Array.isArray(endpoints)) return []
  return endpoints.flatMap((endpoint, index) => uriProblems(pointerTo('/endpoints', index), endpoint))
}
