import Type from 'typebox'
import { isJsonObject, type JsonObject } from '../../schemas/json.ts'
import { checkCondition } from '../conditions/condition.ts'
import { type Problem, pointerTo } from '../event/problem.ts'
import { FieldPath } from '../nodes/contract/config-schema.ts'
import { scriptProblem } from '../scripts/script-check.ts'

const OPERATIONS = ['DEFAULT', 'SUM', 'MIN', 'MAX', 'AVG', 'SET_INTERSECTION', 'DIST_CONCAT', 'CUSTOM']
const MAX_SCRIPT_LENGTH = 5000
/** Members that an absence alert does not have, because it has no events to add up or judge. */
const NOT_FOR_ABSENCE = ['operation', 'script', 'conditional']

/** Conditions under which an alert fires (pipeline API, section 7; meaning: components, section 8.1). */
export const AlertEvaluation = Type.Object(
  {
    alert_type: Type.Enum(['threshold', 'change', 'absence'], {
      description:
        'Type of alert: a condition on a window, a change against the previous window, or a window without events',
    }),
    event_type: Type.Enum(['log', 'metric'], { description: 'Type of the events' }),
    operation: Type.Optional(
      Type.Enum(OPERATIONS, {
        description: 'Operation that combines the events of a window. Logs need CUSTOM; not for absence',
      }),
    ),
    script: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_SCRIPT_LENGTH,
        description: 'JavaScript function for CUSTOM only',
      }),
    ),
    conditional: Type.Optional(
      Type.Unsafe<object>({
        type: 'object',
        description: 'Condition on the result of the window; not for absence',
      }),
    ),
    window_type: Type.Optional(
      Type.Enum(['tumbling', 'sliding'], {
        default: 'tumbling',
        description: 'Whether windows follow one another or overlap',
      }),
    ),
    window_duration_minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1440, default: 5, description: 'Length of a window' }),
    ),
    group_by: Type.Optional(
      Type.Array(FieldPath({ maxLength: 100, description: 'Field such as .tags.host' }), {
        maxItems: 50,
        uniqueItems: true,
        description: 'Fields whose values form groups; each group has its own windows',
      }),
    ),
    event_timestamp: Type.Optional(
      FieldPath({ maxLength: 100, description: 'Field with the time of an event; only for logs' }),
    ),
  },
  { additionalProperties: false },
)

/** Checks that the schema cannot express, with pointers into the evaluation; its members may have any type. */
export function evaluationProblems(evaluation: JsonObject): Problem[] {
  const { alert_type: alertType, event_type: eventType } = evaluation
  const problems =
    alertType === 'absence'
      ? NOT_FOR_ABSENCE.flatMap(member => unwanted(evaluation, member, 'for an absence alert'))
      : [
          ...(alertType === 'threshold' || alertType === 'change'
            ? ['operation', 'conditional'].flatMap(member => missing(evaluation, member))
            : []),
          ...operationProblems(evaluation),
          ...conditionalProblems(evaluation),
        ]
  if (eventType === 'metric')
    problems.push(...unwanted(evaluation, 'event_timestamp', 'when event_type is "metric"'))
  return problems
}

/** A copy of the evaluation with the defaults of its conditional. */
export function storedEvaluation(evaluation: JsonObject): JsonObject {
  const { conditional } = evaluation
  if (conditional === undefined) return evaluation
  return { ...evaluation, conditional: checkCondition(conditional, conditionRules(evaluation)).stored }
}

function operationProblems(evaluation: JsonObject): Problem[] {
  const { event_type: eventType, operation, script } = evaluation
  if (operation === 'CUSTOM') {
    if (typeof script !== 'string' || script.length > MAX_SCRIPT_LENGTH) return missing(evaluation, 'script')
    const message = scriptProblem(script)
    return message === undefined ? [] : [{ instancePath: '/script', message }]
  }
  if (typeof operation !== 'string' || !OPERATIONS.includes(operation)) return []
  const problems = unwanted(evaluation, 'script', 'when operation is not "CUSTOM"')
  if (eventType === 'log')
    problems.push({ instancePath: '/operation', message: 'must be "CUSTOM" when event_type is "log"' })
  return problems
}

function conditionalProblems(evaluation: JsonObject): Problem[] {
  const { conditional } = evaluation
  if (!isJsonObject(conditional)) return []
  return checkCondition(conditional, conditionRules(evaluation)).problems.map(
    ({ instancePath, message }) => ({ instancePath: `/conditional${instancePath}`, message }),
  )
}

/** Rules for the alert's conditional. While the type of the alert is unknown, every comparison is accepted. */
function conditionRules({ alert_type: alertType }: JsonObject) {
  return { change: alertType === 'change' ? 'only' : alertType === 'threshold' ? 'refused' : 'both' } as const
}

function missing(evaluation: JsonObject, member: string): Problem[] {
  if (evaluation[member] !== undefined) return []
  return [{ instancePath: '', message: `must have required property '${member}'` }]
}

function unwanted(evaluation: JsonObject, member: string, why: string): Problem[] {
  if (evaluation[member] === undefined) return []
  return [{ instancePath: pointerTo('', member), message: `must NOT be sent ${why}` }]
}
