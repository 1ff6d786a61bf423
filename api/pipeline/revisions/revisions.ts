import { replace } from '../../../engine/configuration/configuration-log.ts'
import { drafts, type Revision } from '../../../engine/configuration/entities.ts'
import type { Entity } from '../../../engine/configuration/kind.ts'
import type { Steps } from '../../../engine/steps.ts'
import { inTurns, type LoopTurns } from '../../../engine/turns/loop-turns.ts'
import type {
  RevisionDiff,
  RevisionRecord,
  RevisionSummary,
} from '../../../schemas/http/pipeline/revision-api.ts'
import type { PipelineDocument } from '../../../schemas/pipeline.ts'
import type { Caller } from '../../auth/caller.ts'
import { isoTime } from '../../http/iso-time.ts'
import type { PipelinePorts } from '../pipeline-ports.ts'
import type { PipelineState, Pipelines } from '../pipelines.ts'
import { gatewayRouteChanges } from '../source-gateway-route.ts'
import { documentNodes, restoringNodes, revisionNumbered, revisionsOf } from './revision.ts'
import { comparingAlerts, comparingNodes, printingDifferences } from './revision-diff.ts'

/** Value that stands for the nodes and alerts of the draft, in place of a revision's number. */
const DRAFT = 'draft'

export interface RevisionPorts extends PipelinePorts {
  /** Turns of work whose length depends on the size of a pipeline. */
  readonly bodyTurns: LoopTurns
}

/** The published revisions of pipelines; every method throws ApiError 404 for a pipeline of another account. */
export class Revisions {
  readonly #pipelines: Pipelines
  readonly #ports: RevisionPorts

  constructor(pipelines: Pipelines, ports: RevisionPorts) {
    this.#pipelines = pipelines
    this.#ports = ports
  }

  /** Revisions of a pipeline, newest first. */
  list(caller: Caller, id: string): RevisionSummary[] {
    const state = this.#pipelines.get(caller, id)
    const own = revisionsOf(this.#ports.configuration, state.pipeline)
    return own.reverse().map(revision => summaryOf(revision, state))
  }

  get(caller: Caller, id: string, number: string): RevisionRecord {
    const state = this.#pipelines.get(caller, id)
    const revision = this.#numbered(state, number)
    const { document, descriptions = {} } = revision.value
    const nodes = document.nodes.map(node => ({
      ...node,
      inputs: [...node.inputs],
      description: descriptions[node.id] ?? null,
    }))
    const alerts = (document.alerts ?? []).map(alert => ({ ...alert, inputs: [...alert.inputs] }))
    return { ...summaryOf(revision, state), nodes, alerts }
  }

  /** Makes the draft equal to a revision; the deployment does not change until the next publication. */
  restore(caller: Caller, id: string, number: string): Promise<PipelineState> {
    const write = () =>
      this.#pipelines.changing(caller, id, async state => {
        const { value } = this.#numbered(state, number)
        const restoring = restoringNodes(value, state.draft.value.nodes)
        const nodes = await inTurns(restoring, this.#ports.bodyTurns.begin())
        const { alerts = [] } = value.document
        const updatedAtMs = this.#ports.clock.wallMs()
        return [
          replace(drafts, state.draft, { ...state.draft.value, nodes, alerts, updatedAtMs }),
          ...gatewayRouteChanges(this.#ports, state.draft, nodes),
        ]
      })
    return this.#pipelines.inTurnOfAccount(caller, write)
  }

  /** Compares two revisions in steps. @param from a number, or `draft`; `to` likewise @throws ApiError 404 */
  *comparing(caller: Caller, id: string, from: string, to: string): Steps<RevisionDiff> {
    const state = this.#pipelines.get(caller, id)
    const [before, after] = [this.#content(state, from), this.#content(state, to)]
    const nodes = yield* comparingNodes(this.#ports.catalogue, before.nodes, after.nodes)
    const alerts = yield* comparingAlerts(before.alerts, after.alerts)
    return { from, to, nodes, alerts, text: yield* printingDifferences(nodes, alerts) }
  }

  #content(state: PipelineState, which: string): Pick<PipelineDocument, 'nodes' | 'alerts'> {
    if (which !== DRAFT) return this.#numbered(state, which).value.document
    const { nodes, alerts = [] } = state.draft.value
    return { nodes: documentNodes(nodes), alerts }
  }

  #numbered({ pipeline }: PipelineState, number: string): Entity<Revision> {
    return revisionNumbered(this.#ports.configuration, pipeline, number)
  }
}

function summaryOf({ id, value }: Entity<Revision>, state: PipelineState): RevisionSummary {
  return {
    id,
    pipeline_id: value.pipeline,
    number: value.document.revision,
    title: value.document.title,
    created_at: isoTime(value.createdAtMs),
    nodes: value.document.nodes.length,
    deployed: id === state.deployedRevisionId,
    loaded: id === state.loadedRevisionId,
  }
}
