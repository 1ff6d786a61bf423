import Type from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { named } from '../../schemas/named.ts'
import type { AlertDocument, NodeDocument } from '../../schemas/pipeline.ts'
import type { Problem } from '../event/problem.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import { checkConfig } from '../nodes/contract/config-schema.ts'
import { AlertEvaluation, evaluationProblems, storedEvaluation } from './alert-evaluation.ts'
import { AlertService, serviceProblems } from './alert-service.ts'

const DEFAULT_THROTTLING = { window_secs: 60, threshold: 1 }

/** Clients send 0 for the member that their user left out, so 0 counts as absent. */
const throttlingMember = (member: keyof typeof DEFAULT_THROTTLING, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, default: DEFAULT_THROTTLING[member], description }))

const ReadOnly = Type.Optional(Type.Unknown({ description: 'Ignored' }))
const Repeated = Type.Optional(Type.Unknown({ description: 'If not empty, the same as in the path' }))

/** An alert as it is written (pipeline API, section 7). It needs rules of the engine, so it is not in `schemas/http`. */
export const AlertWrite = named(
  'AlertWrite',
  Type.Object({
    component_kind: Type.Enum(['source', 'transform'], { description: 'Kind of node, as in the path' }),
    inputs: Type.Array(Type.String(), { minItems: 1, description: 'Watched outputs of the node' }),
    active: Type.Optional(Type.Boolean({ default: true, description: 'Whether the alert can fire' })),
    alert_config: Type.Object(
      {
        general: Type.Object(
          {
            name: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the alert' }),
            description: Type.Optional(
              Type.String({ maxLength: 1024, description: 'Description of the alert' }),
            ),
          },
          { additionalProperties: false },
        ),
        evaluation: AlertEvaluation,
        alert_payload: Type.Object(
          {
            service: AlertService,
            throttling: Type.Optional(
              Type.Object(
                {
                  window_secs: throttlingMember('window_secs', 'Time in which notices are counted'),
                  threshold: throttlingMember('threshold', 'Maximum number of notices in that time'),
                },
                { additionalProperties: false, default: DEFAULT_THROTTLING },
              ),
            ),
          },
          { additionalProperties: false },
        ),
      },
      { additionalProperties: false },
    ),
    component_id: Repeated,
    pipeline_id: Repeated,
    id: ReadOnly,
    account_id: ReadOnly,
  }),
)

export type AlertWrite = Type.Static<typeof AlertWrite>

export interface AlertPlace {
  readonly catalogue: Catalogue
  readonly pipelineId: string
  /** The source or processor in the request's path. */
  readonly node: NodeDocument
  /** The alert to be replaced. */
  readonly previous?: AlertDocument | undefined
}

export type AlertCheck =
  | { readonly stored: Omit<AlertDocument, 'id'> }
  | { readonly problems: readonly Problem[] }

/**
 * Checks an alert from a request and reports all findings at once, with pointers into the request body.
 *
 * @returns the alert to store: the sent members and the listed defaults, and nothing else (pipeline API, section 1.5)
 */
export function checkAlert(sent: JsonValue | undefined, place: AlertPlace): AlertCheck {
  if (!isJsonObject(sent)) return { problems: [{ instancePath: '', message: 'must be object' }] }
  const checked = checkConfig(AlertWrite, sent, 'the alert')
  const found = 'problems' in checked ? checked.problems : []
  const problems = [...found, ...placeProblems(sent, place), ...configProblems(sent.alert_config, place)]
  if (problems.length > 0 || 'problems' in checked) return { problems }
  // Nothing was found, so the members have their types.
  const { component_kind, inputs, active = true, alert_config } = checked.stored as unknown as AlertWrite
  const stored = { component_kind, component_id: place.node.id, inputs, active }
  return { stored: { ...stored, alert_config: storedConfig(alert_config) } }
}

function placeProblems(sent: JsonObject, { catalogue, pipelineId, node }: AlertPlace): Problem[] {
  const isOther = (value: JsonValue | undefined, expected: string) =>
    value !== undefined && value !== null && value !== '' && value !== expected
  const problems: Problem[] = []
  if (isOther(sent.pipeline_id, pipelineId))
    problems.push({ instancePath: '/pipeline_id', message: 'must be the pipeline of the path' })
  if (isOther(sent.component_id, node.id))
    problems.push({ instancePath: '/component_id', message: 'must be the node of the path' })
  if (typeof sent.component_kind === 'string' && sent.component_kind !== node.kind)
    problems.push({ instancePath: '/component_kind', message: `must be "${node.kind}", as in the path` })
  return [...problems, ...inputProblems(sent.inputs, catalogue, node)]
}

function inputProblems(inputs: JsonValue | undefined, catalogue: Catalogue, node: NodeDocument): Problem[] {
  if (!Array.isArray(inputs)) return []
  const outputs = new Set<JsonValue>(catalogue.outputsOf(node).map(({ id }) => id))
  return inputs.flatMap((input, index) => {
    const instancePath = `/inputs/${index}`
    if (typeof input !== 'string') return []
    if (!outputs.has(input)) return [{ instancePath, message: 'must be an output of the node of the path' }]
    return inputs.indexOf(input) < index ? [{ instancePath, message: 'must NOT have duplicate items' }] : []
  })
}

function configProblems(config: JsonValue | undefined, { previous }: AlertPlace): Problem[] {
  if (!isJsonObject(config)) return []
  const { evaluation, alert_payload: payload } = config
  const problems: Problem[] = []
  if (isJsonObject(evaluation)) {
    const found = [...evaluationProblems(evaluation), ...typeProblems(evaluation, previous)]
    for (const problem of below('/alert_config/evaluation', found)) problems.push(problem)
  }
  if (isJsonObject(payload) && isJsonObject(payload.service)) {
    const found = below('/alert_config/alert_payload/service', serviceProblems(payload.service))
    for (const problem of found) problems.push(problem)
  }
  return problems
}

function typeProblems({ alert_type: alertType }: JsonObject, previous: AlertDocument | undefined): Problem[] {
  const before = (previous?.alert_config.evaluation as JsonObject | undefined)?.alert_type
  if (before === undefined || alertType === undefined || alertType === before) return []
  return [
    { instancePath: '/alert_type', message: `must stay "${before}": the type of an alert does not change` },
  ]
}

function below(parent: string, problems: readonly Problem[]): Problem[] {
  return problems.map(({ instancePath, message }) => ({ instancePath: `${parent}${instancePath}`, message }))
}

function storedConfig({
  evaluation,
  alert_payload: payload,
  ...others
}: AlertWrite['alert_config']): JsonObject {
  const { window_secs, threshold } = payload.throttling ?? {}
  const throttling = {
    window_secs: window_secs || DEFAULT_THROTTLING.window_secs,
    threshold: threshold || DEFAULT_THROTTLING.threshold,
  }
  return {
    ...others,
    evaluation: storedEvaluation(evaluation as JsonObject),
    alert_payload: { ...payload, throttling },
  }
}
