import Type from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue, NumberText } from '../../../schemas/json.ts'
import { TWELFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { foundType } from '../../event/errors.ts'
import type { Event } from '../../event/event.ts'
import { FIELD_PATH_MESSAGE, fieldAt, isFieldPath } from '../../event/field-path.ts'
import { fail, pass } from '../../event/outcome.ts'
import type { Problem } from '../../event/problem.ts'
import { boundedNumber, textForm } from '../../json/json-text.ts'
import { defineProcessor } from '../contract/define-processor.ts'
import { COPIED_AT_ONCE_BITS } from '../contract/option-work.ts'

const MAX_NAME_LENGTH = 128
const MAX_TAGS = 10

/** A number as JSON writes it, with blanks around it. */
const NUMBER = /^[ \t\n\r]*(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)[ \t\n\r]*$/

/**
 * Event to metric: makes one metric of each event; the event itself does not go on. Rules: components, section 5.8. Our
 * choice: a number beyond the range of a double is not a value of a metric.
 */
export const eventToMetric = defineProcessor({
  type: 'event-to-metric',
  since: TWELFTH_BEHAVIOUR,
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
  errors: ['E_NOT_FOUND', 'E_EVENT_TO_METRIC_FAILED', 'E_EXPRESSION_COST'],

  compile(
    { metric_name: name, metric_kind: kind, metric_type: type, value, namespace, tags = [] },
    report,
    meter,
  ) {
    const amount = amountIn(value)
    const labels: Label[] = [
      ...(namespace === undefined ? [] : [{ tag: undefined, ...labelIn(namespace) }]),
      ...tags.map(tag => ({ tag: tag.name, ...labelIn(tag) })),
    ]
    return event => {
      const found = amount.read(event)
      if (found === undefined) return fail('E_NOT_FOUND', { field: amount.field })
      const number = numberOf(found)
      if (number === undefined)
        return fail('E_EVENT_TO_METRIC_FAILED', { field: amount.field, found: foundType(found) })
      const metric: JsonObject = { name, kind, value: { type, value: number } }
      const texts: [name: string, text: string][] = []
      for (const { tag, field, read } of labels) {
        const part = read(event)
        if (part === undefined) report('E_NOT_FOUND', { field })
        if (part === undefined || part === null) continue
        if (isContainer(part)) return fail('E_EVENT_TO_METRIC_FAILED', { field, found: foundType(part) })
        const text = textForm(part)
        // Ten tags may have the same text, and their metric may become another one.
        meter.work(text.length >> COPIED_AT_ONCE_BITS)
        if (tag === undefined) metric.namespace = text
        else texts.push([tag, text])
      }
      if (texts.length > 0) metric.tags = Object.fromEntries(texts)
      return pass(event.withMessage(metric))
    }
  },

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

  examples: [
    {
      title: 'a value that is a number in a text, with a namespace and a tag',
      config: {
        metric_name: 'door_open_ms',
        metric_kind: 'absolute',
        metric_type: 'gauge',
        value: { value_type: 'field', value: '.ms' },
        namespace: { value_type: 'value', value: 'doors' },
        tags: [{ name: 'door', value_type: 'field', value: '.door' }],
      },
      steps: [
        {
          event: { door: 'n2', ms: '87.5' },
          outcome: pass({
            name: 'door_open_ms',
            kind: 'absolute',
            value: { type: 'gauge', value: 87.5 },
            namespace: 'doors',
            tags: { door: 'n2' },
          }),
        },
        {
          event: { door: true, ms: ' -1e3\n' },
          outcome: pass({
            name: 'door_open_ms',
            kind: 'absolute',
            value: { type: 'gauge', value: -1000 },
            namespace: 'doors',
            tags: { door: 'true' },
          }),
        },
      ],
    },
    {
      title:
        'a missing namespace or tag is left out and recorded, null is left out; of two tags of one name the last wins',
      config: {
        metric_name: 'loaves',
        metric_kind: 'incremental',
        metric_type: 'sum',
        value: { value_type: 'value', value: 1 },
        namespace: { value_type: 'field', value: '.site' },
        tags: [
          { name: 'oven', value_type: 'field', value: '.oven' },
          { name: 'kind', value_type: 'value', value: 'rye' },
          { name: 'oven', value_type: 'field', value: '.place' },
        ],
      },
      steps: [
        {
          event: { oven: 4, place: 12345678901234567890n },
          outcome: pass({
            name: 'loaves',
            kind: 'incremental',
            value: { type: 'sum', value: 1 },
            tags: { oven: '12345678901234567890', kind: 'rye' },
          }),
          errors: [['E_NOT_FOUND', '.site']],
        },
        {
          event: { site: null, oven: null, place: null },
          outcome: pass({
            name: 'loaves',
            kind: 'incremental',
            value: { type: 'sum', value: 1 },
            tags: { kind: 'rye' },
          }),
        },
      ],
    },
    {
      title: 'without a number as its value there is no metric',
      config: {
        metric_name: 'size',
        metric_kind: 'absolute',
        metric_type: 'counter',
        value: { value_type: 'field', value: '.n' },
        tags: [{ name: 'app', value_type: 'field', value: '.app' }],
      },
      steps: [
        {
          event: { n: 9007199254740993n },
          outcome: pass({
            name: 'size',
            kind: 'absolute',
            value: { type: 'counter', value: 9007199254740993n },
          }),
          errors: [['E_NOT_FOUND', '.app']],
        },
        {
          event: { app: 'a' },
          outcome: fail('E_NOT_FOUND', { field: '.n' }),
          errors: [['E_NOT_FOUND', '.n']],
        },
        {
          event: { n: '5 loaves' },
          outcome: fail('E_EVENT_TO_METRIC_FAILED', { field: '.n', found: 'string' }),
          errors: [['E_EVENT_TO_METRIC_FAILED', '.n']],
        },
        {
          event: { n: true },
          outcome: fail('E_EVENT_TO_METRIC_FAILED', { field: '.n', found: 'boolean' }),
          errors: [['E_EVENT_TO_METRIC_FAILED', '.n']],
        },
        {
          event: { n: 5, app: {} },
          outcome: fail('E_EVENT_TO_METRIC_FAILED', { field: '.app', found: 'object' }),
          errors: [['E_EVENT_TO_METRIC_FAILED', '.app']],
        },
      ],
    },
  ],
})

/** Part of a metric. */
interface Part {
  /** Path of its value; '' for a value that the options contain. */
  readonly field: string
  read(event: Event): JsonValue | undefined
}

interface Label extends Part {
  /** Name of the tag; undefined for the namespace. */
  readonly tag: string | undefined
}

interface Origin<Value> {
  readonly value_type: string
  readonly value?: Value
}

function amountIn({ value_type: type, value }: Origin<string | number>): Part {
  return type === 'field' ? partAt(String(value)) : { field: '', read: () => value }
}

/** A namespace or tag; without one its value is null. */
function labelIn({ value_type: type, value }: Origin<string>): Part {
  if (type === 'field') return partAt(value ?? '')
  return { field: '', read: () => (type === 'value' && value !== undefined ? value : null) }
}

function partAt(path: string): Part {
  const field = fieldAt(path)
  return { field: path, read: event => field.read(event) }
}

/** The number of a value; undefined when it has none. */
function numberOf(value: JsonValue | undefined): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  const source = typeof value === 'string' ? NUMBER.exec(value)?.[1] : undefined
  if (source === undefined) return undefined
  const number = boundedNumber(Number(source), source)
  return typeof number === 'bigint' || Number.isFinite(number) ? number : undefined
}

function isContainer(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof NumberText)
}

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
