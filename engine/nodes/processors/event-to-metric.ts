import Type from 'typebox'
import { isJsonObject, type JsonValue } from '../../../schemas/json.ts'
import { FIELD_PATH_MESSAGE, isFieldPath } from '../../event/field-path.ts'
import type { Problem } from '../../event/problem.ts'
import { declareProcessor } from '../contract/define-processor.ts'

const MAX_NAME_LENGTH = 128
const MAX_TAGS = 10

/** Event to metric: makes one metric of each event. Rules: components, section 5.8. */
export const eventToMetric = declareProcessor({
  type: 'event-to-metric',
  summary: 'Turn each event into a metric.',
  config: Type.Object(
    {
      metric_name: Type.String({
        pattern: '^[a-zA-Z][a-zA-Z0-9_:]*$',
        maxLength: MAX_NAME_LENGTH,
        description: 'Name of the metric',
      }),
      metric_kind: Type.Enum(['incremental', 'absolute'], {
        description: 'incremental: values add up. absolute: each replaces the one before',
      }),
      metric_type: Type.Enum(['counter', 'sum', 'gauge'], { description: 'Class of the value' }),
      value: Type.Object(
        {
          value_type: Type.Enum(['field', 'value'], { description: 'Origin of the value' }),
          value: Type.Unsafe<string | number>({ description: 'A field, or the number itself' }),
        },
        { additionalProperties: false, description: 'Value of the metric' },
      ),
      namespace: Type.Optional(
        Type.Object(
          {
            value_type: Type.Enum(['none', 'field', 'value'], {
              description: 'Origin of the namespace',
            }),
            value: Type.Optional(Type.String({ description: 'A field, or the namespace itself' })),
          },
          {
            additionalProperties: false,
            default: { value_type: 'none' },
            description: 'Namespace of the metric',
          },
        ),
      ),
      tags: Type.Optional(
        Type.Array(
          Type.Object(
            {
              name: Type.String({
                pattern: '^[a-zA-Z][a-zA-Z0-9_]*$',
                maxLength: MAX_NAME_LENGTH,
                description: 'Name of the tag',
              }),
              value_type: Type.Enum(['field', 'value'], { description: 'Origin of the tag' }),
              value: Type.String({ minLength: 1, description: 'A field, or the text of the tag itself' }),
            },
            { additionalProperties: false },
          ),
          { maxItems: MAX_TAGS, description: 'Tags of the metric; of two with one name the last holds' },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  check: ({ value, namespace, tags }) => [
    ...valueProblems(value),
    ...namespaceProblems(namespace),
    ...(Array.isArray(tags) ? tags.flatMap((tag, index) => pathProblems(tag, `/tags/${index}`)) : []),
  ],
  configs: [
    {
      sent: {
        metric_name: 'door_open_ms',
        metric_kind: 'absolute',
        metric_type: 'gauge',
        value: { value_type: 'field', value: '.ms' },
      },
      defaults: { namespace: { value_type: 'none' } },
    },
    {
      sent: {
        metric_name: 'kitchen:loaves',
        metric_kind: 'incremental',
        metric_type: 'counter',
        value: { value_type: 'value', value: 55.67 },
        namespace: { value_type: 'value', value: 'bakery' },
        tags: [
          { name: 'oven', value_type: 'field', value: '.oven' },
          { name: 'site', value_type: 'value', value: 'oslo' },
        ],
      },
    },
  ],
})

function valueProblems(option: JsonValue | undefined): Problem[] {
  if (!isJsonObject(option) || option.value === undefined) return []
  const { value_type: type, value } = option
  if (type === 'value' && typeof value !== 'number' && typeof value !== 'bigint')
    return [{ instancePath: '/value/value', message: 'must be number' }]
  if (type === 'field' && typeof value !== 'string')
    return [{ instancePath: '/value/value', message: 'must be string' }]
  return pathProblems(option, '/value')
}

function namespaceProblems(option: JsonValue | undefined): Problem[] {
  if (!isJsonObject(option)) return []
  const isNamed = option.value_type === 'field' || option.value_type === 'value'
  if (isNamed && option.value === undefined)
    return [{ instancePath: '/namespace', message: "must have required property 'value'" }]
  return pathProblems(option, '/namespace')
}

/** Requires a field path for every value that is taken from a field. */
function pathProblems(option: JsonValue, at: string): Problem[] {
  if (!isJsonObject(option) || option.value_type !== 'field' || typeof option.value !== 'string') return []
  return isFieldPath(option.value) ? [] : [{ instancePath: `${at}/value`, message: FIELD_PATH_MESSAGE }]
}
