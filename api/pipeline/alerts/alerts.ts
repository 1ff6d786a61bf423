import { checkAlert } from '../../../engine/alerts/check-alert.ts'
import { replace } from '../../../engine/configuration/configuration-log.ts'
import { drafts } from '../../../engine/configuration/entities.ts'
import { partsWithExpressions } from '../../../engine/graph/expression-limit.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import { isJsonObject, type JsonValue } from '../../../schemas/json.ts'
import type { AlertDocument } from '../../../schemas/pipeline.ts'
import type { Caller } from '../../auth/caller.ts'
import { notFound } from '../../http/errors.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import { type NodePath, nodeIn } from '../nodes.ts'
import { assertOptionLimits } from '../option-limits.ts'
import type { PipelinePorts } from '../pipeline-ports.ts'
import type { PipelineState, Pipelines } from '../pipelines.ts'

export interface AlertPath extends NodePath {
  readonly kind: AlertDocument['component_kind']
  readonly alert: string
}

export interface AlertAndPipeline {
  readonly alert: AlertDocument
  readonly state: PipelineState
}

/** The alerts of drafts. A failed write changes nothing (pipeline API, section 1.3). */
export class Alerts {
  readonly #pipelines: Pipelines
  readonly #ports: PipelinePorts

  constructor(pipelines: Pipelines, ports: PipelinePorts) {
    this.#pipelines = pipelines
    this.#ports = ports
  }

  /** @throws ApiError 404, also when the alert belongs to another pipeline */
  get(caller: Caller, pipeline: string, id: string): AlertAndPipeline {
    const state = this.#pipelines.get(caller, pipeline)
    return { alert: alertIn(state, id), state }
  }

  /** The alerts of all nodes, in the order of their creation. @throws ApiError 404 */
  list(caller: Caller, pipeline: string): AlertAndPipeline[] {
    const state = this.#pipelines.get(caller, pipeline)
    return alertsOf(state).map(alert => ({ alert, state }))
  }

  async create(caller: Caller, path: Omit<AlertPath, 'alert'>, sent: unknown): Promise<AlertAndPipeline> {
    const id = this.#ports.entropy.uuid()
    const state = await this.#editing(caller, path.pipeline, before => [
      ...alertsOf(before),
      checked(this.#ports.catalogue, before, { ...path, alert: id }, sent),
    ])
    return { alert: alertIn(state, id), state }
  }

  /** Replaces an alert. A path with another node of the pipeline moves it there (pipeline API, section 7). */
  async replace(caller: Caller, path: AlertPath, sent: unknown): Promise<AlertAndPipeline> {
    const state = await this.#editing(caller, path.pipeline, before => {
      const previous = alertIn(before, path.alert)
      const alert = checked(this.#ports.catalogue, before, path, sent, previous)
      return alertsOf(before).map(each => (each === previous ? alert : each))
    })
    return { alert: alertIn(state, path.alert), state }
  }

  async delete(caller: Caller, path: AlertPath): Promise<void> {
    await this.#editing(caller, path.pipeline, before => {
      const node = nodeIn(before, path)
      const alert = alertIn(before, path.alert)
      if (alert.component_id !== node.id) throw alertNotFound()
      return alertsOf(before).filter(each => each !== alert)
    })
  }

  #editing(
    caller: Caller,
    pipeline: string,
    edit: (state: PipelineState) => AlertDocument[],
  ): Promise<PipelineState> {
    return this.#pipelines.changing(caller, pipeline, state => {
      const value = { ...state.draft.value, alerts: edit(state), updatedAtMs: this.#ports.clock.wallMs() }
      return [replace(drafts, state.draft, value)]
    })
  }
}

/** @throws ApiError 404 if the node is missing, ProblemsError with every finding about the body */
function checked(
  catalogue: Catalogue,
  state: PipelineState,
  path: AlertPath,
  sent: unknown,
  previous?: AlertDocument,
): AlertDocument {
  const node = nodeIn(state, path)
  const { draft } = state
  const others = alertsOf(state).filter(each => each !== previous)
  assertOptionLimits(
    '/alert_config',
    [...partsWithExpressions({ nodes: draft.value.nodes, alerts: others }), sentConfig(sent as JsonValue)],
    partsWithExpressions(draft.value),
  )
  const check = checkAlert(sent as JsonValue | undefined, {
    catalogue,
    pipelineId: path.pipeline,
    node,
    previous,
  })
  if ('problems' in check) throw new ProblemsError(check.problems)
  return { id: path.alert, ...check.stored }
}

function sentConfig(sent: JsonValue | undefined): JsonValue {
  return (isJsonObject(sent) ? sent.alert_config : undefined) ?? {}
}

function alertsOf({ draft }: PipelineState): readonly AlertDocument[] {
  return draft.value.alerts ?? []
}

function alertIn(state: PipelineState, id: string): AlertDocument {
  const alert = alertsOf(state).find(each => each.id === id)
  if (alert === undefined) throw alertNotFound()
  return alert
}

function alertNotFound() {
  return notFound('The alert does not exist')
}
