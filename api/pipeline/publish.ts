import { create, replace } from '../../engine/configuration/configuration-log.ts'
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
import { checkGraph, notPublished } from '../../engine/graph/check-graph.ts'
import { compileGraph } from '../../engine/graph/compile-graph.ts'
import { partsWithExpressions } from '../../engine/graph/expression-limit.ts'
import { jsonText, parseJson } from '../../engine/json/json-text.ts'
import { foreignDestination } from '../../engine/nodes/destinations/log-analysis/own-store.ts'
import { canonicalTypeOf } from '../../engine/nodes/known-types.ts'
import type { JsonObject } from '../../schemas/json.ts'
import type { NodeDocument, PipelineDocument } from '../../schemas/pipeline.ts'
import type { Caller } from '../auth/caller.ts'
import { ApiError } from '../http/errors.ts'
import { ProblemsError } from '../http/problems-error.ts'
import { assertExpressionLimit } from './expression-limit.ts'
import { hostNamedBy } from './log-hosts.ts'
import type { PipelinePorts } from './pipeline-ports.ts'
import type { PipelineState, Pipelines } from './pipelines.ts'
import { descriptionsOf, documentNodes, namesOf, revisionsOf } from './revisions/revision.ts'
import { gatewayRouteChangesOfPublishing } from './source-gateway-route.ts'

export interface PublishOptions {
  /** Whether nodes without inputs or outputs are fine. */
  readonly allowUnconnected: boolean
  /** Whether a host of a log-analysis destination, with its port as written, is this installation's own. */
  readonly isOwnHost: (host: string) => boolean
}

/**
 * Makes the present nodes the revision that runs: an immutable document with a number of its own (pipeline API,
 * section 2.7). Answers when the next line meets it, where an engine of this process can tell.
 *
 * @throws ApiError 409 ENOCHANGES when they are what runs already; ProblemsError when they cannot run
 */
export async function publish(
  pipelinesOfAll: Pipelines,
  { configuration, clock, entropy }: PipelinePorts,
  caller: Caller,
  id: string,
  options: PublishOptions,
): Promise<PipelineState> {
  await pipelinesOfAll.changing(caller, id, state => {
    if (state.isPaused)
      throw new ApiError(409, 'ECONFLICT', 'The pipeline is paused: resume it, then publish it')
    if (state.deployedRevisionId !== null && !state.hasChanges) {
      throw new ApiError(409, 'ENOCHANGES', 'Nothing has changed since the last publication')
    }
    const newest = revisionsOf(configuration, state.pipeline).at(-1)?.value.document.revision ?? 0
    const document = documentOf(state, newest + 1)
    const deployed =
      state.deployedRevisionId === null
        ? undefined
        : configuration.get(revisions, state.deployedRevisionId)?.value.document
    assertExpressionLimit('', partsWithExpressions(document), deployed && partsWithExpressions(deployed))
    const { features } = configuration.get(accounts, state.pipeline.value.account)?.value ?? {}
    const problems = publishProblems(document, {
      ...options,
      hasThrottle: features?.throttle ?? true,
      isForeignKey: key => isForeignKey(configuration, document.accountId, key),
    })
    if (problems.length > 0) throw new ProblemsError(problems)
    assertRuns(document)
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
      deployment: number,
      createdAtMs: atMs,
    }
    const deployment = { account, number, revisionId }
    return [
      create(revisions, revisionId, revision),
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

/**
 * What is published comes to the partitions as text; they must be able to run what they read, so that is tried before.
 * The nodes were checked when they were written: what this finds is a mistake of this program.
 */
function assertRuns(document: PipelineDocument): void {
  try {
    compileGraph(parseJson(jsonText(document as unknown as JsonObject)) as unknown as PipelineDocument)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ProblemsError([
      { instancePath: '', message: `must be a pipeline that can run: ${error.message}` },
    ])
  }
}

const THROTTLE_OFF =
  'must NOT be throttle: the processor is switched off for this account; who manages the enterprise can switch it on'

/** Whether a text is the ingestion key of another account. It is looked up by its hash: the time it takes tells nothing of it. */
function isForeignKey(configuration: ConfigurationView, account: string, key: string): boolean {
  const found = configuration.find(accountKeys, 'hash', secretHash(key))?.value
  return found !== undefined && found.type === 'ingestion' && found.account !== account
}

/** There is no request body to point into: the pointers lead to the node, then into it. */
function publishProblems(
  document: PipelineDocument,
  options: PublishOptions & {
    readonly hasThrottle: boolean
    /** Whether a text is the ingestion key of another account. */
    readonly isForeignKey: (key: string) => boolean
  },
): Problem[] {
  const byId = new Map(document.nodes.map(node => [node.id, node]))
  const problems = checkGraph(document, options).map(({ nodeId, instancePath, message }) => ({
    instancePath: `${nodePointer(byId.get(nodeId), nodeId)}${instancePath}`,
    message,
  }))
  for (const node of document.nodes) {
    const canonical = canonicalTypeOf(node.kind, node.type)
    if (canonical === 'throttle' && !options.hasThrottle)
      problems.push({ instancePath: `${nodePointer(node, node.id)}/type`, message: THROTTLE_OFF })
    if (canonical !== 'log-analysis') continue
    const host = hostNamedBy(node.user_config)
    const message = foreignDestination(node.user_config, () => host !== undefined && options.isOwnHost(host))
    if (message !== undefined)
      problems.push({ instancePath: `${nodePointer(node, node.id)}/user_config`, message })
    const { ingestion_key: key } = node.user_config
    if (typeof key === 'string' && options.isForeignKey(key))
      problems.push({
        instancePath: `${nodePointer(node, node.id)}/user_config/ingestion_key`,
        message: `must be an ingestion key of this account: delivery to another account is not part of this version, so ${notPublished(node)}`,
      })
  }
  return problems
}

/** Where a finding about a node is, in the terms of the interface. */
export function nodePointer(node: NodeDocument | undefined, id: string): string {
  return `/${node?.kind ?? 'node'}/${id}`
}
