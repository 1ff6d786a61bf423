import Type, { type Static } from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import { uriProblems } from '../../../conditions/uri.ts'
import { FIELD_PATH_MESSAGE, isFieldPath } from '../../../event/field-path.ts'
import { type Problem, pointerTo } from '../../../event/problem.ts'
import { FieldPath } from '../../contract/config-schema.ts'
import { Secret } from '../../contract/secret.ts'
import { headerTextProblems } from '../../http/http-headers.ts'
import { ackEnabled, compression } from '../../options/delivery-options.ts'

/** Members of an event that are read from a field, or constant. */
export const VALUE_OPTIONS = ['source', 'sourcetype', 'index'] as const

/** Options of the destination: components, section 7.9. */
export const SplunkHecOptions = Type.Object(
  {
    ack_enabled: ackEnabled,
    url: Secret({
      minLength: 1,
      description: 'Base address of Splunk; the path of the collector is added',
    }),
    token: Secret({ minLength: 1, description: 'Token of the collector' }),
    tls_verify_certificate: Type.Optional(
      Type.Boolean({ default: true, description: 'Verify the certificate of the server' }),
    ),
    compression,
    host_field: Type.Optional(
      FieldPath({ default: 'metadata.host', description: 'Field that holds the host of the event' }),
    ),
    timestamp_field: Type.Optional(
      FieldPath({ default: 'metadata.time', description: 'Field that holds the time of the event' }),
    ),
    source: valueOption('Source of the event, such as a file name'),
    sourcetype: valueOption('Source type of the event'),
    index: valueOption('Index that the event is stored in'),
  },
  { additionalProperties: false },
)

export type SplunkHecConfig = Static<typeof SplunkHecOptions>

/** Checks rules that the schema cannot express. */
export function splunkHecProblems(sent: JsonObject): Problem[] {
  return [
    ...uriProblems('/url', sent.url),
    ...headerTextProblems('/token', sent.token),
    ...VALUE_OPTIONS.flatMap(option => valueProblems(pointerTo('', option), sent[option])),
  ]
}

/** A member of the event that is read from a field, constant, or not sent. */
function valueOption(description: string) {
  return Type.Optional(
    Type.Object(
      {
        value_type: Type.Enum(['none', 'field', 'value'], { description: 'Origin of the value' }),
        value: Type.Optional(Type.String({ description: 'Path of the field, or the value itself' })),
      },
      { additionalProperties: false, default: { value_type: 'none' }, description },
    ),
  )
}

function valueProblems(instancePath: string, option: JsonValue | undefined): Problem[] {
  if (!isJsonObject(option)) return [] // reported by the schema
  const { value_type: valueType, value } = option
  const valuePath = pointerTo(instancePath, 'value')
  if (valueType === 'none')
    return value === undefined || value === ''
      ? []
      : [{ instancePath: valuePath, message: 'must NOT be sent when value_type is "none"' }]
  if (valueType !== 'field' && valueType !== 'value') return []
  if (value === undefined) return [{ instancePath, message: "must have required property 'value'" }]
  if (value === '') return [{ instancePath: valuePath, message: 'must NOT have fewer than 1 characters' }]
  if (valueType === 'value' || typeof value !== 'string' || isFieldPath(value)) return []
  return [{ instancePath: valuePath, message: FIELD_PATH_MESSAGE }]
}
