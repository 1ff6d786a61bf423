import Type from 'typebox'
import { isJsonObject, type JsonObject } from '../../../schemas/json.ts'
import type { Problem } from '../../event/problem.ts'
import { Conditional, FieldPath, ScriptText } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'

const MAX_INTERVAL_SECONDS = 90_000 // 25 hours
const MAX_SCRIPT_LENGTH = 5000
const MAX_PATH_LENGTH = 200
const CUSTOM = 'CUSTOM'

/** Aggregate: many events of a group become one per time window. Rules: components, section 5.1. */
export const aggregate = declareProcessor({
  type: 'aggregate',
  aliases: ['aggregate-v2'],
  summary: 'Roll many events of a group into one per time window.',
  config: Type.Object(
    {
      window: Type.Object(
        {
          type: Type.Enum(['tumbling', 'sliding'], {
            description: 'tumbling: one after the other. sliding: overlapping, opened by events',
          }),
          interval: Type.Integer({
            minimum: 1,
            maximum: MAX_INTERVAL_SECONDS,
            description: 'Length of a window, in seconds',
          }),
          window_min: Type.Optional(
            Type.Integer({
              minimum: 0,
              default: 5,
              description: 'Shortest distance between the starts of two sliding windows, in seconds',
            }),
          ),
        },
        { additionalProperties: false, description: 'Windows of time' },
      ),
      evaluate: Type.Object(
        {
          operation: Type.Enum(
            ['DEFAULT', 'SUM', 'MIN', 'MAX', 'AVG', 'SET_INTERSECTION', 'DIST_CONCAT', CUSTOM],
            { description: 'How an event is merged into the window' },
          ),
          script: Type.Optional(
            ScriptText({
              maxLength: MAX_SCRIPT_LENGTH,
              description:
                'For CUSTOM: one JavaScript function of accumulator, event, metadata and annotations',
            }),
          ),
        },
        { additionalProperties: false, description: 'Function to compute' },
      ),
      conditional: Type.Optional(
        Conditional({ change: 'both', description: 'Condition on the window that emits it early' }),
      ),
      group_by: Type.Optional(
        Type.Array(FieldPath({ description: 'Field such as .tags.oven' }), {
          description: 'Fields whose values make a group; name, namespace and tags of a metric when absent',
        }),
      ),
      event_timestamp: Type.Optional(
        FieldPath({
          maxLength: MAX_PATH_LENGTH,
          default: 'timestamp',
          description: 'Field with the time of the event',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  check: scriptProblems,
  configs: [
    {
      sent: { window: { type: 'sliding', interval: 10, window_min: 0 }, evaluate: { operation: 'SUM' } },
      defaults: { event_timestamp: 'timestamp' },
    },
    {
      sent: {
        window: { type: 'tumbling', interval: 3600 },
        evaluate: { operation: CUSTOM, script: 'function newer(accumulator, event) { return event }' },
        group_by: ['.name', '.tags.oven'],
        conditional: {
          expressions: [{ field: '.value.value', str_operator: 'percent_change_greater', value: 20 }],
        },
        event_timestamp: '.time',
      },
      defaults: {
        window: { window_min: 5 },
        conditional: { expressions: [{ negate: false }], logical_operation: 'AND' },
      },
    },
  ],
})

function scriptProblems({ evaluate }: JsonObject): Problem[] {
  if (!isJsonObject(evaluate)) return []
  const { operation, script } = evaluate
  if (operation === CUSTOM && script === undefined)
    return [{ instancePath: '/evaluate', message: "must have required property 'script'" }]
  if (typeof operation === 'string' && operation !== CUSTOM && script !== undefined)
    return [{ instancePath: '/evaluate/script', message: `must NOT be sent unless operation is ${CUSTOM}` }]
  return []
}
