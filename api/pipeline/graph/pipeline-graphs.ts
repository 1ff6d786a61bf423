import type { ConfigurationLog } from '../../../engine/configuration/configuration-log.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import type { Steps } from '../../../engine/steps.ts'
import { inTurns } from '../../../engine/turns/loop-turns.ts'
import type { PipelineGraph, PipelineGraphChange } from '../../../schemas/http/pipeline/graph-api.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import type { Caller } from '../../auth/caller.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import { makingFile } from '../file/file-of-draft.ts'
import { fileNameOf, OutputReferences } from '../file/output-references.ts'
import type { PipelineFiles } from '../file/pipeline-files.ts'
import type { DraftContent } from '../file/sent-file.ts'
import type { PipelineState, Pipelines } from '../pipelines.ts'
import { restoringNodes, revisionNumbered, revisionsOf } from '../revisions/revision.ts'
import { maskingFile, readingSecrets, unmaskingFile } from './masked-file.ts'

export interface GraphPorts {
  readonly catalogue: Catalogue
  readonly configuration: ConfigurationLog
  /** Whether a host that a node names is this installation. */
  readonly isOwnHost: (host: string) => boolean
}

/** Refuses a change that was made to an older draft. */
export class OvertakenGraphError extends ApiError {
  /** The newer draft. */
  readonly graph: PipelineGraph

  constructor(graph: PipelineGraph) {
    super(409, 'ECONFLICT', 'The draft was changed in the meantime: compare your changes with the newer one')
    this.graph = graph
  }
}

/** Pipelines as documents without secrets; every method throws ApiError 404 for a pipeline of another account. */
export class PipelineGraphs {
  readonly #pipelines: Pipelines
  readonly #files: PipelineFiles
  readonly #ports: GraphPorts

  constructor(pipelines: Pipelines, files: PipelineFiles, ports: GraphPorts) {
    this.#pipelines = pipelines
    this.#files = files
    this.#ports = ports
  }

  /**
   * Reads a pipeline in steps.
   *
   * @param which `draft`, `deployed` or the number of a revision
   * @throws ApiError 404
   */
  *reading(caller: Caller, id: string, which: string): Steps<PipelineGraph> {
    const state = this.#pipelines.get(caller, id)
    if (which === 'draft') return yield* this.#draft(state)
    const revision =
      which === 'deployed'
        ? revisionsOf(this.#ports.configuration, state.pipeline).find(
            each => each.id === state.deployedRevisionId,
          )
        : revisionNumbered(this.#ports.configuration, state.pipeline, which)
    if (revision === undefined) throw notFound('Nothing of the pipeline is deployed')
    const { document } = revision.value
    const { alerts = [] } = document
    const nodes = yield* restoringNodes(revision.value, state.draft.value.nodes)
    return yield* this.#graph(state, {
      revision: document.revision,
      etag: `"r${document.revision}"`,
      title: document.title,
      content: { nodes, alerts },
    })
  }

  /** Returns the changes that a document would make to the draft. @throws as `write` */
  async difference(
    caller: Caller,
    id: string,
    sent: JsonValue | undefined,
    match: string | undefined,
  ): Promise<PipelineGraphChange> {
    const state = this.#pipelines.get(caller, id)
    const file = await this.#inTurns(this.#fresh(state, sent, match))
    const { changed, nodes, alerts, text } = await this.#files.differenceOf(caller, state, file)
    return { changed, nodes, alerts, text, graph: await this.#inTurns(this.#draft(state)) }
  }

  /**
   * Gives the draft the title, nodes and alerts of a document.
   *
   * @param match etags of which one must be that of the draft, as in the header if-match; undefined: any
   * @throws OvertakenGraphError; ProblemsError with every finding
   */
  async write(
    caller: Caller,
    id: string,
    sent: JsonValue | undefined,
    match: string | undefined,
  ): Promise<PipelineGraphChange> {
    const { state, changed, before, content } = await this.#files.replace(caller, id, present =>
      this.#fresh(present, sent, match),
    )
    const { nodes, alerts, text } = await this.#files.differences(before, content)
    return { changed, nodes, alerts, text, graph: await this.#inTurns(this.#draft(state)) }
  }

  #inTurns<Result>(steps: Steps<Result>): Promise<Result> {
    return inTurns(steps, this.#files.turns.begin())
  }

  /** The document with its secrets, if it was made from the present draft. */
  *#fresh(state: PipelineState, sent: JsonValue | undefined, match: string | undefined): Steps<JsonObject> {
    if (match !== undefined && !matches(match, etagOf(state)))
      throw new OvertakenGraphError(yield* this.#draft(state))
    if (!isJsonObject(sent)) throw new ProblemsError([{ instancePath: '', message: 'must be object' }])
    if (sent.id !== undefined && sent.id !== state.pipeline.id)
      throw new ProblemsError([{ instancePath: '/id', message: 'must be that of the pipeline' }])
    return yield* this.#unmasking(state, sent, '')
  }

  /**
   * Returns a document with the secrets of a pipeline in the places of their masks.
   *
   * @param state absent: a pipeline that is not stored, which has no secrets
   * @param at pointer to the document in the request's body
   * @throws ProblemsError for each mask of a secret that the pipeline does not have
   */
  unmasked(state: PipelineState | undefined, sent: JsonObject, at: string): Promise<JsonObject> {
    return this.#inTurns(this.#unmasking(state, sent, at))
  }

  *#unmasking(state: PipelineState | undefined, sent: JsonObject, at: string): Steps<JsonObject> {
    const secrets = state === undefined ? new Map<string, string>() : yield* this.#secrets(state)
    const { file, problems } = yield* unmaskingFile(this.#ports.catalogue, sent, secrets)
    if (problems.length === 0) return file
    throw new ProblemsError(
      problems.map(({ instancePath, message }) => ({ instancePath: `${at}${instancePath}`, message })),
    )
  }

  /** Secrets of the draft and of all revisions, by their masks. */
  *#secrets(state: PipelineState): Steps<Map<string, string>> {
    const { configuration } = this.#ports
    const draft = state.draft.value
    const secrets = new Map<string, string>()
    yield* this.#addSecrets(state, draft, secrets)
    for (const revision of revisionsOf(configuration, state.pipeline)) {
      const nodes = yield* restoringNodes(revision.value, draft.nodes)
      yield* this.#addSecrets(state, { nodes, alerts: revision.value.document.alerts ?? [] }, secrets)
    }
    return secrets
  }

  *#addSecrets({ pipeline }: PipelineState, content: DraftContent, secrets: Map<string, string>): Steps {
    const { catalogue } = this.#ports
    const file = yield* makingFile(catalogue, pipeline.id, pipeline.value.title, content)
    for (const secret of yield* readingSecrets(catalogue, file))
      secrets.set(this.#mask(pipeline.id, secret), secret)
  }

  #draft(state: PipelineState): Steps<PipelineGraph> {
    const { pipeline, draft } = state
    const { title } = pipeline.value
    return this.#graph(state, { revision: null, etag: etagOf(state), title, content: draft.value })
  }

  *#graph(
    { pipeline: { id } }: PipelineState,
    { revision, etag, title, content }: GraphContent,
  ): Steps<PipelineGraph> {
    const { catalogue } = this.#ports
    const file = yield* makingFile(catalogue, id, title, content)
    const references = yield* OutputReferences.reading(catalogue, content.nodes)
    const document = yield* maskingFile(catalogue, file, secret => this.#mask(id, secret))
    const nodes: PipelineGraph['nodes'] = []
    for (const node of content.nodes) {
      const outputs = catalogue
        .outputsOf(node)
        .map(output => ({ id: output.id, label: output.label, name: references.nameOf(output.id) }))
      const sends = catalogue.sendsRequests(node, catalogue.goesElsewhere(node, this.#ports))
      nodes.push({ id: node.id, name: fileNameOf(node), sends, outputs })
      yield
    }
    return { revision, etag, document, nodes }
  }

  #mask(pipeline: string, secret: string): string {
    return this.#ports.configuration.seal.mark(secret, `graph of pipeline ${pipeline}`)
  }
}

interface GraphContent {
  readonly revision: number | null
  readonly etag: string
  readonly title: string
  readonly content: DraftContent
}

/** Etag of the present draft. */
function etagOf({ pipeline, draft }: PipelineState): string {
  return `"${pipeline.version}-${draft.version}"`
}

/** Whether the header if-match names an etag. */
function matches(header: string, etag: string): boolean {
  return header.split(',').some(each => each.trim() === '*' || each.trim() === etag)
}
