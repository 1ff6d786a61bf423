import { create, replace } from '../../engine/configuration/configuration-log.ts'
import { deployedDocument } from '../../engine/configuration/deployed-document.ts'
import {
  accountKeys,
  accounts,
  deployments,
  pipelines,
  type Revision,
  revisions,
  secretHash,
} from '../../engine/configuration/entities.ts'
import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import type { Problem } from '../../engine/event/problem.ts'
import { checkingGraph, notPublished } from '../../engine/graph/check-graph.ts'
import { compileGraph } from '../../engine/graph/compile-graph.ts'
import { partsWithExpressions } from '../../engine/graph/expression-limit.ts'
import { jsonText, parseJson } from '../../engine/json/json-text.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import type { Steps } from '../../engine/steps.ts'
import { inTurns, type LoopTurns } from '../../engine/turns/loop-turns.ts'
import type { NodeDocument, PipelineDocument } from '../../schemas/pipeline.ts'
import type { Caller } from '../auth/caller.ts'
import { ApiError } from '../http/errors.ts'
import { ProblemsError } from '../http/problems-error.ts'
import { assertOptionLimits } from './option-limits.ts'
import type { PipelinePorts } from './pipeline-ports.ts'
import type { PipelineState, Pipelines } from './pipelines.ts'
import { outdatedRevisions } from './revisions/kept-revisions.ts'
import { descriptionsOf, documentNodes, namesOf, revisionsOf } from './revisions/revision.ts'
import { gatewayRouteChangesOfPublishing } from './source-gateway-route.ts'

export interface PublishPorts extends PipelinePorts {
  /** Turns of checks: those of a large pipeline take long. */
  readonly replayTurns: LoopTurns
}

export interface PublishOptions {
  /** Whether nodes without inputs or outputs are allowed. */
  readonly allowUnconnected: boolean
  /** Whether a host that a node names, with its port as written, is this installation's own. */
  readonly isOwnHost: (host: string) => boolean
}

/**
 * Deploys the draft's nodes as a revision: an immutable document with its own number (pipeline API, section 2.7). The
 * answer is sent once the next line meets the revision, where an engine of this process can report that.
 *
 * @throws ApiError 409 ENOCHANGES when these nodes are deployed already; ProblemsError when they cannot run
 */
export async function publish(
  pipelinesOfAll: Pipelines,
  { catalogue, configuration, clock, entropy, replayTurns }: PublishPorts,
  caller: Caller,
  id: string,
  options: PublishOptions,
): Promise<PipelineState> {
  await pipelinesOfAll.changing(caller, id, async state => {
    if (state.pauseMode !== undefined)
      throw new ApiError(409, 'ECONFLICT', 'The pipeline is paused: resume it, then publish it')
    if (state.deployedRevisionId !== null && !state.hasChanges) {
      throw new ApiError(409, 'ENOCHANGES', 'Nothing has changed since the last publication')
    }
    const newest = revisionsOf(configuration, state.pipeline).at(-1)?.value.document.revision ?? 0
    const document = documentOf(state, newest + 1)
    const deployed = deployedDocument(configuration, state.deployedRevisionId)
    assertOptionLimits('', partsWithExpressions(document), deployed && partsWithExpressions(deployed))
    const { features } = configuration.get(accounts, state.pipeline.value.account)?.value ?? {}
    const elsewhere = document.nodes
      .filter(node => catalogue.goesElsewhere(node, options))
      .map(node => node.id)
    const checking = checkingDocument(catalogue, document, {
      ...options,
      elsewhere,
      hasFeature: name => features?.[name] ?? true,
      isForeignKey: key => isForeignKey(configuration, document.accountId, key),
    })
    await inTurns(checking, replayTurns.begin())
    const revisionId = entropy.uuid()
    const atMs = clock.wallMs()
    const { account } = state.pipeline.value
    const number = (state.deployment?.value.number ?? 0) + 1
    const { nodes } = state.draft.value
    const descriptions = descriptionsOf(nodes)
    const names = namesOf(nodes)
    const revision: Revision = {
      account,
      pipeline: id,
      document,
      descriptions,
      ...(Object.keys(names).length > 0 && { names }),
      ...(elsewhere.length > 0 && { elsewhere }),
      deployment: number,
      createdAtMs: atMs,
    }
    const deployment = { account, number, revisionId }
    return [
      create(revisions, revisionId, revision),
      ...outdatedRevisions(configuration, state.pipeline),
      state.deployment === undefined
        ? create(deployments, id, deployment)
        : replace(deployments, state.deployment, deployment),
      replace(pipelines, state.pipeline, { ...state.pipeline.value, published: { revisionId, atMs } }),
      ...gatewayRouteChangesOfPublishing(configuration, state.deployment, state.draft),
    ]
  })
  await pipelinesOfAll.untilInEffect(caller, id)
  return pipelinesOfAll.get(caller, id)
}

function documentOf({ pipeline, draft }: PipelineState, revision: number): PipelineDocument {
  const { nodes, alerts = [] } = draft.value
  return {
    id: pipeline.id,
    accountId: pipeline.value.account,
    title: pipeline.value.title,
    revision,
    nodes: documentNodes(nodes),
    ...(alerts.length > 0 && { alerts }),
  }
}

/** Checks in steps that a document can be published. @throws ProblemsError with every finding */
function* checkingDocument(catalogue: Catalogue, document: PipelineDocument, rules: PublishRules): Steps {
  const problems = yield* findingProblems(catalogue, document, rules)
  if (problems.length > 0) throw new ProblemsError(problems)
  yield* assertingRun(catalogue, document, rules.elsewhere)
}

/**
 * Compiles the document in the form and from the text that partitions receive, so that a document that would stop a
 * partition is not published. The nodes were checked when they were written, so a finding here is a defect of this program.
 */
function* assertingRun(
  catalogue: Catalogue,
  document: PipelineDocument,
  elsewhere: readonly string[],
): Steps {
  try {
    const text = jsonText(catalogue.foldDocumentOf(document, elsewhere))
    yield
    // The document itself, as the fold reads it.
    compileGraph(catalogue, parseJson(text) as unknown as PipelineDocument)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ProblemsError([
      { instancePath: '', message: `must be a pipeline that can run: ${error.message}` },
    ])
  }
}

function switchedOff(type: string): string {
  return `must NOT be ${type}: the processor is switched off for this account; who manages the enterprise can switch it on`
}

/**
 * Whether a text is the ingestion key of another account. The lookup is by hash, so its time reveals nothing about the
 * key.
 */
function isForeignKey(configuration: ConfigurationView, account: string, key: string): boolean {
  const found = configuration.find(accountKeys, 'hash', secretHash(key))?.value
  return found !== undefined && found.type === 'ingestion' && found.account !== account
}

interface PublishRules extends PublishOptions {
  /** Ids of the nodes whose lines go to another installation. */
  readonly elsewhere: readonly string[]
  readonly hasFeature: (name: string) => boolean
  /** Whether a text is the ingestion key of another account. */
  readonly isForeignKey: (key: string) => boolean
}

/** Findings about a publication. Without a request body, their pointers begin with the node and then lead into it. */
function* findingProblems(
  catalogue: Catalogue,
  document: PipelineDocument,
  options: PublishRules,
): Steps<Problem[]> {
  const byId = new Map(document.nodes.map(node => [node.id, node]))
  const found = yield* checkingGraph(catalogue, document, options)
  const problems = found.map(({ nodeId, instancePath, message }) => ({
    instancePath: `${nodePointer(byId.get(nodeId), nodeId)}${instancePath}`,
    message,
  }))
  for (const node of document.nodes) {
    const pointer = nodePointer(node, node.id)
    const { type, feature } = catalogue.declarationOf(node.kind, node.type) ?? {}
    if (type !== undefined && feature !== undefined && !options.hasFeature(feature))
      problems.push({ instancePath: `${pointer}/type`, message: switchedOff(type) })
    if (node.kind !== 'sink') continue
    const site = { ...options, notPublished: notPublished(node) }
    for (const { instancePath, message } of catalogue
      .destinationOf(node.type)
      ?.publishProblems?.(node.user_config, site) ?? [])
      problems.push({ instancePath: `${pointer}/user_config${instancePath}`, message })
  }
  return problems
}

/** Pointer to the node of a finding, in the terms of the interface. */
export function nodePointer(node: NodeDocument | undefined, id: string): string {
  return `/${node?.kind ?? 'node'}/${id}`
}
