import { type Change, replace } from '../../../engine/configuration/configuration-log.ts'
import { drafts, pipelines as pipelineKind } from '../../../engine/configuration/entities.ts'
import type { NodeSettings } from '../../../engine/nodes/contract/node-declaration.ts'
import type { PipelineFile } from '../../../schemas/http/pipeline/pipeline-file.ts'
import type { FileDifference } from '../../../schemas/http/pipeline/revision-api.ts'
import { isJsonObject, type JsonValue } from '../../../schemas/json.ts'
import type { Caller } from '../../auth/caller.ts'
import { accountOf } from '../../auth/permission.ts'
import { ApiError } from '../../http/errors.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import type { PipelinePorts } from '../pipeline-ports.ts'
import type { PipelineState, Pipelines } from '../pipelines.ts'
import { gatewayRouteChanges } from '../source-gateway-route.ts'
import { contentOf, type FileContent } from './file-content.ts'
import { changesAnything, fileDifference, type TitledDraft } from './file-difference.ts'
import { fileOf } from './file-of-draft.ts'

/** Id that stands for a pipeline before its creation. */
const NO_PIPELINE = '00000000-0000-0000-0000-000000000000'

export interface Imported {
  readonly state: PipelineState
  readonly changed: boolean
}

/** Export and import of pipelines as files. A failed write changes nothing (pipeline API, section 1.3). */
export class PipelineFiles {
  readonly #pipelines: Pipelines
  readonly #ports: PipelinePorts
  readonly #settings: NodeSettings

  constructor(pipelines: Pipelines, ports: PipelinePorts, settings: NodeSettings) {
    this.#pipelines = pipelines
    this.#ports = ports
    this.#settings = settings
  }

  /** @throws ApiError 404 */
  export(caller: Caller, id: string): PipelineFile {
    const { pipeline, draft } = this.#pipelines.get(caller, id)
    return fileOf(this.#ports.catalogue, id, pipeline.value.title, draft.value)
  }

  /**
   * Reads a file without an existing pipeline.
   *
   * @param at pointer to it in the request's body
   * @throws ProblemsError with every finding
   */
  contentOf(caller: Caller, sent: JsonValue, at: string): FileContent {
    try {
      return this.#content(caller, sent, NO_PIPELINE)
    } catch (error) {
      if (!(error instanceof ProblemsError)) throw error
      throw new ProblemsError(
        error.problems.map(({ instancePath, message }) => ({
          instancePath: `${at}${instancePath}`,
          message,
        })),
      )
    }
  }

  /**
   * Returns the changes that a file would make.
   *
   * @throws ApiError 404 or 409 when the file matches no pipeline, or several; ProblemsError with every finding about it
   */
  difference(caller: Caller, sent: JsonValue | undefined): FileDifference {
    const state = this.#meant(caller, sent)
    const before = state === undefined ? undefined : titledDraft(state)
    const content = this.#content(caller, sent, state?.pipeline.id ?? NO_PIPELINE, before)
    return {
      pipeline_id: state?.pipeline.id ?? null,
      changed: changesAnything(before, content),
      ...fileDifference(this.#ports.catalogue, before, content),
    }
  }

  /**
   * Gives a pipeline the nodes and alerts of its file, and creates the pipeline if it does not exist.
   *
   * @throws as `difference`
   */
  import(caller: Caller, sent: JsonValue | undefined): Promise<Imported> {
    return this.#pipelines.inTurnOfAccount(caller, async () => {
      const meant = this.#meant(caller, sent)
      if (meant === undefined) return { state: await this.#create(caller, sent), changed: true }
      let changed = false
      const state = await this.#pipelines.changing(caller, meant.pipeline.id, before => {
        const changes = this.#changes(caller, sent, before)
        changed = changes.length > 0
        return changes
      })
      return { state, changed }
    })
  }

  #create(caller: Caller, sent: JsonValue | undefined): Promise<PipelineState> {
    const { title } = this.#content(caller, sent, NO_PIPELINE)
    return this.#pipelines.create(caller, { title }, id => {
      const { nodes, alerts } = this.#content(caller, sent, id)
      return alerts.length > 0 ? { nodes, alerts } : { nodes }
    })
  }

  #changes(caller: Caller, sent: JsonValue | undefined, state: PipelineState): Change[] {
    const { pipeline, draft } = state
    const before = titledDraft(state)
    const content = this.#content(caller, sent, pipeline.id, before)
    if (!changesAnything(before, content)) return []
    const { title, nodes, alerts } = content
    const updatedAtMs = this.#ports.clock.wallMs()
    const ofTitle =
      title === before.title
        ? []
        : [replace(pipelineKind, pipeline, { ...pipeline.value, title, updatedAtMs })]
    return [
      ...ofTitle,
      replace(drafts, draft, { ...draft.value, nodes, alerts, updatedAtMs }),
      ...gatewayRouteChanges(this.#ports, draft, nodes),
    ]
  }

  #content(
    caller: Caller,
    sent: JsonValue | undefined,
    pipelineId: string,
    before: TitledDraft | undefined = undefined,
  ): FileContent {
    const { catalogue, configuration, entropy } = this.#ports
    const check = contentOf(sent, {
      catalogue,
      pipelineId,
      before: before ?? { nodes: [] },
      settings: this.#settings,
      gatewayRoutes: { configuration, account: accountOf(caller).shortId },
      newNodeId: () => entropy.uuid(),
      newAlertId: () => entropy.uuid(),
    })
    if ('problems' in check) throw new ProblemsError(check.problems)
    return check.content
  }

  /** The pipeline that a file belongs to, by its id, else by its title; undefined when it must be created. */
  #meant(caller: Caller, sent: JsonValue | undefined): PipelineState | undefined {
    if (!isJsonObject(sent)) return undefined
    if (typeof sent.id === 'string') return this.#pipelines.get(caller, sent.id)
    const titled = this.#pipelines.list(caller).filter(({ pipeline }) => pipeline.value.title === sent.title)
    if (titled.length <= 1) return titled[0]
    const ids = titled.map(({ pipeline }) => pipeline.id).join(', ')
    throw new ApiError(409, 'Conflict', `Several pipelines have this title: give the id, one of ${ids}`)
  }
}

function titledDraft({ pipeline, draft }: PipelineState): TitledDraft {
  return { title: pipeline.value.title, ...draft.value }
}
