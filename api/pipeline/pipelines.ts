import { type Change, create, remove, replace } from '../../engine/configuration/configuration-log.ts'
import { deployedDocument } from '../../engine/configuration/deployed-document.ts'
import {
  type Deployment,
  type Draft,
  deadLetterSettings,
  deployments,
  drafts,
  exemptions,
  type Pipeline,
  pipelines,
} from '../../engine/configuration/entities.ts'
import { InTurn } from '../../engine/configuration/in-turn.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { profileResets } from '../../engine/configuration/kinds/profile-reset.ts'
import { stateVariables } from '../../engine/configuration/kinds/state-variables.ts'
import { pauseModeOf } from '../../engine/configuration/pause-mode.ts'
import { PIPELINE_DEFAULTS, type PipelineWrite } from '../../schemas/http/pipeline/pipeline-api.ts'
import type { PauseMode } from '../../schemas/pipeline.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { notFound } from '../http/errors.ts'
import { untilNotOvertaken } from '../http/overtaken.ts'
import type { PipelinePorts } from './pipeline-ports.ts'
import { revisionsOfDeletion } from './revisions/kept-revisions.ts'
import {
  documentNodes,
  revisionDeployedBy,
  revisionsOf,
  sameAlerts,
  sameNodes,
} from './revisions/revision.ts'
import { gatewayRouteChanges, gatewayRouteChangesOfDeletion } from './source-gateway-route.ts'

/** The present state of a pipeline and of everything that belongs to it. */
export interface PipelineState {
  readonly pipeline: Entity<Pipeline>
  readonly draft: Entity<Draft>
  /** Absent until the first publication. */
  readonly deployment: Entity<Deployment> | undefined
  readonly deployedRevisionId: string | null
  /** The revision that the account's next line meets; null when there is none, or it is unknown here. */
  readonly loadedRevisionId: string | null
  /** Time of the last change of the pipeline, its nodes or its alerts; null until the first change. */
  readonly updatedAtMs: number | null
  /** Whether publishing would change the deployed revision. */
  readonly hasChanges: boolean
  /** Mode of the pause of the deployed revision; undefined: it is not paused. */
  readonly pauseMode: PauseMode | undefined
}

/** Option of the routes below a pipeline; everything else is a port of the server. */
export interface PipelineRouteOptions {
  readonly pipelines: Pipelines
}

/** The pipelines of all accounts; every method sees those of the caller's account only. */
export class Pipelines {
  readonly #ports: PipelinePorts
  readonly #turns = new InTurn()

  constructor(ports: PipelinePorts) {
    this.#ports = ports
  }

  list(caller: Caller): PipelineState[] {
    return this.#ports.configuration.list(pipelines, accountOf(caller).shortId).map(each => this.#state(each))
  }

  /** @throws ApiError 404, also when the pipeline belongs to another account */
  get(caller: Caller, id: string): PipelineState {
    const pipeline = this.#ports.configuration.get(pipelines, id)
    if (pipeline === undefined || pipeline.value.account !== accountOf(caller).shortId) {
      throw notFound('The pipeline does not exist')
    }
    return this.#state(pipeline)
  }

  /**
   * @param content first nodes and alerts
   * @param id for which the content was made
   */
  async create(
    caller: Caller,
    write: PipelineWrite,
    content: Pick<Draft, 'nodes' | 'alerts'> = { nodes: [] },
    id = this.#ports.entropy.uuid(),
  ): Promise<PipelineState> {
    const { clock } = this.#ports
    const account = accountOf(caller).shortId
    const empty: Draft = { account, nodes: [], updatedAtMs: null }
    await untilNotOvertaken(() => {
      const value: Pipeline = {
        ...written(write),
        account,
        createdAtMs: clock.wallMs(),
        updatedAtMs: null,
        published: null,
      }
      const draft = { ...empty, ...content }
      return this.#append(caller, [
        create(pipelines, id, value),
        create(drafts, id, draft),
        ...gatewayRouteChanges(this.#ports, { id, value: empty }, draft.nodes),
      ])
    })
    return this.get(caller, id)
  }

  async #append(caller: Caller, changes: Change[]): Promise<void> {
    const author = { subjectId: caller.subjectId, account: accountOf(caller).shortId }
    await this.#ports.configuration.append(changes, author)
  }

  update(caller: Caller, id: string, write: PipelineWrite): Promise<PipelineState> {
    return this.changing(caller, id, ({ pipeline }) => {
      const value = { ...pipeline.value, ...written(write), updatedAtMs: this.#ports.clock.wallMs() }
      return [replace(pipelines, pipeline, value)]
    })
  }

  /** Removes the pipeline with its nodes; its deployment stops. */
  async delete(caller: Caller, id: string): Promise<void> {
    await this.inTurnOfAccount(caller, () => this.#writing(caller, id, state => this.#deletion(state)))
    await this.untilInEffect(caller, id)
  }

  #deletion({ pipeline, draft, deployment }: PipelineState): Change[] {
    const { configuration } = this.#ports
    const changes = [
      remove(pipelines, pipeline),
      remove(drafts, draft),
      ...revisionsOfDeletion(configuration, pipeline),
      ...gatewayRouteChangesOfDeletion(configuration, deployment, draft),
    ]
    const deadLetters = configuration.get(deadLetterSettings, pipeline.id)
    if (deadLetters !== undefined) changes.push(remove(deadLetterSettings, deadLetters))
    const ofPipeline = configuration
      .list(exemptions, pipeline.value.account)
      .filter(({ value }) => value.pipeline === pipeline.id)
    changes.push(...ofPipeline.map(each => remove(exemptions, each)))
    const resets = configuration
      .list(profileResets, pipeline.value.account)
      .filter(({ value }) => value.pipeline === pipeline.id)
    changes.push(...resets.map(each => remove(profileResets, each)))
    const variables = configuration.get(stateVariables, pipeline.id)
    if (variables !== undefined) changes.push(remove(stateVariables, variables))
    if (deployment === undefined) return changes
    const { account, number } = deployment.value
    const withdrawn: Deployment = { account, number: number + 1, revisionId: null }
    return [...changes, replace(deployments, deployment, withdrawn)]
  }

  /** Waits until the deployment of a pipeline holds for the next line, if this process can see that. */
  async untilInEffect(caller: Caller, id: string): Promise<void> {
    const { configuration, inEffect } = this.#ports
    const deployment = configuration.get(deployments, id)
    if (deployment === undefined) return
    await inEffect?.whenInEffect(accountOf(caller).shortId, 'pipeline', id, deployment.value.number)
  }

  /**
   * Changes one pipeline. `edit` may run several times, each time on the newest state; without changes nothing is
   * written. While it works in turns with others, no other change of the pipeline runs in this process.
   *
   * @throws ApiError 404 when the pipeline does not exist (any more); any error of `edit`
   */
  async changing(
    caller: Caller,
    id: string,
    edit: (state: PipelineState) => Change[] | Promise<Change[]>,
  ): Promise<PipelineState> {
    await this.#writing(caller, id, edit)
    return this.get(caller, id)
  }

  /**
   * Serialises writes about gateway routes within an account, because its pipelines share the routes. A pipeline's own
   * turn is taken within it, never the other way round.
   */
  inTurnOfAccount<T>(caller: Caller, write: () => Promise<T>): Promise<T> {
    return this.#turns.run(accountOf(caller).shortId, write)
  }

  async #writing(
    caller: Caller,
    id: string,
    edit: (state: PipelineState) => Change[] | Promise<Change[]>,
  ): Promise<void> {
    await this.#turns.run(id, () =>
      untilNotOvertaken(async () => {
        const changes = await edit(this.get(caller, id))
        if (changes.length > 0) await this.#append(caller, changes)
      }),
    )
  }

  #state(pipeline: Entity<Pipeline>): PipelineState {
    const { configuration } = this.#ports
    const draft = configuration.get(drafts, pipeline.id)
    if (draft === undefined) throw new Error(`pipeline ${pipeline.id} has no draft`)
    const deployment = configuration.get(deployments, pipeline.id)
    const deployedRevisionId = deployment?.value.revisionId ?? null
    const deployed = deployedDocument(configuration, deployedRevisionId)
    const { nodes, alerts } = draft.value
    return {
      pipeline,
      draft,
      deployment,
      deployedRevisionId,
      loadedRevisionId: this.#loadedRevisionId(pipeline),
      updatedAtMs: later(pipeline.value.updatedAtMs, draft.value.updatedAtMs),
      // Comparing all nodes takes long, and few callers ask.
      get hasChanges() {
        return (
          !sameNodes(documentNodes(nodes), deployed?.nodes ?? []) || !sameAlerts(alerts, deployed?.alerts)
        )
      },
      pauseMode: deployment && pauseModeOf(deployment.value),
    }
  }

  #loadedRevisionId(pipeline: Entity<Pipeline>): string | null {
    const { configuration, inEffect } = this.#ports
    const version = inEffect?.cutVersion(pipeline.value.account, 'pipeline', pipeline.id)
    if (version === undefined || version === 0) return null
    const deployment = configuration.get(deployments, pipeline.id)?.value
    if (deployment?.number === version) return deployment.revisionId
    return revisionDeployedBy(revisionsOf(configuration, pipeline), version)?.id ?? null
  }
}

/** Returns a full replacement: omitted members get their defaults again. */
function written(
  write: PipelineWrite,
): Pick<Pipeline, 'title' | 'origin' | 'deployType' | 'deploymentGroups'> {
  return {
    title: write.title,
    origin: write.origin ?? PIPELINE_DEFAULTS.origin,
    deployType: write.deploy_type ?? PIPELINE_DEFAULTS.deploy_type,
    deploymentGroups: write.deployment_groups ?? PIPELINE_DEFAULTS.deployment_groups,
  }
}

function later(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}
