import { type Change, replace } from '../../../engine/configuration/configuration-log.ts'
import { drafts, pipelines as pipelineKind } from '../../../engine/configuration/entities.ts'
import type { NodeSettings } from '../../../engine/nodes/contract/node-declaration.ts'
import { finish, type Steps } from '../../../engine/steps.ts'
import { inTurns, LoopTurns } from '../../../engine/turns/loop-turns.ts'
import type { FileDifference } from '../../../schemas/http/pipeline/revision-api.ts'
import { isJsonObject, type JsonValue } from '../../../schemas/json.ts'
import type { Caller } from '../../auth/caller.ts'
import { accountOf } from '../../auth/permission.ts'
import { ApiError } from '../../http/errors.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import { AccountQueue } from '../account-queue.ts'
import type { PipelinePorts } from '../pipeline-ports.ts'
import type { PipelineState, Pipelines } from '../pipelines.ts'
import { gatewayRouteChanges, gatewayRouteOfAccount } from '../source-gateway-route.ts'
import { type FileContent, readingContent } from './file-content.ts'
import { changesAnything, comparingFile, type Differences, type TitledDraft } from './file-difference.ts'
import { makingFile } from './file-of-draft.ts'
import { printingFile } from './file-printer.ts'
import type { FileFormat } from './file-text.ts'

/** Id that stands for a pipeline before its creation. */
const NO_PIPELINE = '00000000-0000-0000-0000-000000000000'

export interface Imported {
  readonly state: PipelineState
  readonly changed: boolean
}

/** A change of a pipeline by a file. */
export interface Replaced extends Imported {
  /** The draft before the change. */
  readonly before: TitledDraft
  readonly content: FileContent
}

/** Export and import of pipelines as files. A failed write changes nothing (pipeline API, section 1.3). */
export class PipelineFiles {
  readonly #pipelines: Pipelines
  readonly #ports: PipelinePorts
  readonly #settings: NodeSettings
  /** Turns of files that are read. */
  readonly turns: LoopTurns
  /** Files that are read and written: one of each account at a time. */
  readonly queue = new AccountQueue('imports and exports')

  constructor(pipelines: Pipelines, ports: PipelinePorts, settings: NodeSettings) {
    this.#pipelines = pipelines
    this.#ports = ports
    this.#settings = settings
    this.turns = new LoopTurns(ports.clock)
  }

  /** Prints a pipeline as a file. @throws ApiError 404 */
  async export(caller: Caller, id: string, format: FileFormat): Promise<string> {
    const { pipeline, draft } = this.#pipelines.get(caller, id)
    const turn = this.turns.begin()
    const file = await inTurns(makingFile(this.#ports.catalogue, id, pipeline.value.title, draft.value), turn)
    return inTurns(printingFile(file, format), turn)
  }

  /**
   * Reads a file.
   *
   * @param at pointer to it in the request's body
   * @param state pipeline that it belongs to; absent: none
   * @throws ProblemsError with every finding
   */
  async contentOf(caller: Caller, sent: JsonValue, at: string, state?: PipelineState): Promise<FileContent> {
    try {
      return await this.#content(caller, sent, state?.pipeline.id ?? NO_PIPELINE, state && titledDraft(state))
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
  async difference(caller: Caller, sent: JsonValue | undefined): Promise<FileDifference> {
    const state = this.#meant(caller, sent)
    if (state !== undefined) return this.differenceOf(caller, state, sent as JsonValue)
    const content = await this.#content(caller, sent, NO_PIPELINE)
    const differences = await this.differences(undefined, content)
    return { pipeline_id: null, changed: true, ...differences }
  }

  /** Returns the changes that a file would make to a pipeline. @throws ProblemsError with every finding about it */
  async differenceOf(caller: Caller, state: PipelineState, sent: JsonValue): Promise<FileDifference> {
    const before = titledDraft(state)
    const content = await this.#content(caller, sent, state.pipeline.id, before)
    return {
      pipeline_id: state.pipeline.id,
      changed: changesAnything(before, content),
      ...(await this.differences(before, content)),
    }
  }

  /** Finds the changes that a file made to a pipeline, or would make. */
  differences(before: TitledDraft | undefined, content: FileContent): Promise<Differences> {
    return inTurns(comparingFile(this.#ports.catalogue, before, content), this.turns.begin())
  }

  /**
   * Gives a pipeline the nodes and alerts of a file.
   *
   * @param sentFor makes the file for the present state of the pipeline; it may run several times, and its error ends the write
   * @throws ApiError 404; ProblemsError with every finding; any error of `sentFor`
   */
  replace(
    caller: Caller,
    id: string,
    sentFor: (state: PipelineState) => Steps<JsonValue>,
  ): Promise<Replaced> {
    const reading = this.#reading.bind(this)
    return this.#pipelines.inTurnOfAccount(caller, () =>
      this.#replace(caller, this.#pipelines.get(caller, id), function* (state) {
        const sent = yield* sentFor(state)
        return yield* reading(caller, sent, id, titledDraft(state))
      }),
    )
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
      return this.#replace(caller, meant, state =>
        this.#reading(caller, sent, meant.pipeline.id, titledDraft(state)),
      )
    })
  }

  /** @param reading reads the file for the present state of the pipeline; it may run several times */
  async #replace(
    caller: Caller,
    read: PipelineState,
    reading: (state: PipelineState) => Steps<FileContent>,
  ): Promise<Replaced> {
    let before = titledDraft(read)
    let content = await inTurns(reading(read), this.turns.begin())
    let changed = false
    const state = await this.#pipelines.changing(caller, read.pipeline.id, present => {
      if (!this.#isAsRead(present, read, content)) {
        before = titledDraft(present)
        content = finish(reading(present))
      }
      const changes = this.#changes(present, content)
      changed = changes.length > 0
      return changes
    })
    return { state, changed, before, content }
  }

  async #create(caller: Caller, sent: JsonValue | undefined): Promise<PipelineState> {
    const id = this.#ports.entropy.uuid()
    const { title, nodes, alerts } = await this.#content(caller, sent, id)
    return this.#pipelines.create(caller, { title }, alerts.length > 0 ? { nodes, alerts } : { nodes }, id)
  }

  /** Whether neither the pipeline nor a gateway route that the file names has changed since the file was read. */
  #isAsRead(now: PipelineState, then: PipelineState, { nodes }: FileContent): boolean {
    const { account } = now.pipeline.value
    const { configuration } = this.#ports
    return (
      now.draft.version === then.draft.version &&
      now.pipeline.version === then.pipeline.version &&
      nodes.every(
        ({ id, gateway_route_id: route = id }) =>
          route === id || gatewayRouteOfAccount(configuration, account, route) !== undefined,
      )
    )
  }

  #changes(state: PipelineState, content: FileContent): Change[] {
    const { pipeline, draft } = state
    const before = titledDraft(state)
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
    before?: TitledDraft,
  ): Promise<FileContent> {
    return inTurns(this.#reading(caller, sent, pipelineId, before), this.turns.begin())
  }

  *#reading(
    caller: Caller,
    sent: JsonValue | undefined,
    pipelineId: string,
    before?: TitledDraft,
  ): Steps<FileContent> {
    const { catalogue, configuration, entropy } = this.#ports
    const check = yield* readingContent(sent, {
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
