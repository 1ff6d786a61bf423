import { replace } from '../../engine/configuration/configuration-log.ts'
import { type DraftNode, drafts } from '../../engine/configuration/entities.ts'
import { checkNode } from '../../engine/graph/check-node.ts'
import { canonicalTypeOf } from '../../engine/graph/known-types.ts'
import type { NodeSettings } from '../../engine/graph/node-declaration.ts'
import type { Problem } from '../../engine/problem.ts'
import type { JsonValue } from '../../schemas/json.ts'
import type { NodeWrite } from '../../schemas/pipeline-api.ts'
import type { Caller } from '../auth/caller.ts'
import { notFound } from '../errors.ts'
import { ProblemsError } from '../problems-error.ts'
import { connectionProblems, withNode, withNodeReplaced, withNodes, withoutNode } from './draft-edit.ts'
import type { NodeKind } from './links.ts'
import { settingsFor } from './log-hosts.ts'
import type { PipelinePorts, PipelineState, Pipelines } from './pipelines.ts'
import { membersOf, type SentBody } from './sent-body.ts'
import { routeChanges, routeOfNew, routeProblems } from './source-routes.ts'

export interface NodePath {
  readonly pipeline: string
  readonly kind: NodeKind
  readonly node: string
}

export interface NodeAndPipeline {
  readonly node: DraftNode
  readonly state: PipelineState
}

/** The nodes of drafts. A failed write changes nothing (pipeline API, section 1.3). */
export class Nodes {
  readonly #pipelines: Pipelines
  readonly #ports: PipelinePorts
  readonly #settings: NodeSettings

  constructor(pipelines: Pipelines, ports: PipelinePorts, settings: NodeSettings) {
    this.#pipelines = pipelines
    this.#ports = ports
    this.#settings = settings
  }

  /** @throws ApiError 404, also when it is of another kind or pipeline */
  get(caller: Caller, path: NodePath): NodeAndPipeline {
    const state = this.#pipelines.get(caller, path.pipeline)
    return { node: nodeIn(state, path), state }
  }

  /** The nodes of one kind, in the order of their creation. @throws ApiError 404 */
  list(caller: Caller, pipeline: string, kind: NodeKind): NodeAndPipeline[] {
    const state = this.#pipelines.get(caller, pipeline)
    return state.draft.value.nodes.filter(node => node.kind === kind).map(node => ({ node, state }))
  }

  async create(caller: Caller, pipeline: string, kind: NodeKind, body: SentBody): Promise<NodeAndPipeline> {
    const id = this.#ports.entropy.uuid()
    const state = await this.#editing(caller, { pipeline, kind }, before =>
      withNode(before.draft.value.nodes, this.#checked(before, body, { id, kind, generation: 0 })),
    )
    return { node: nodeIn(state, { pipeline, kind, node: id }), state }
  }

  async replace(caller: Caller, path: NodePath, body: SentBody): Promise<NodeAndPipeline> {
    const state = await this.#editing(caller, path, before => {
      const stored = nodeIn(before, path)
      const { id, kind, generation } = stored
      return withNodeReplaced(
        before.draft.value.nodes,
        this.#checked(before, body, { id, kind, generation: generation + 1 }, stored),
      )
    })
    return { node: nodeIn(state, path), state }
  }

  async delete(caller: Caller, path: NodePath): Promise<void> {
    await this.#editing(caller, path, before => withoutNode(before.draft.value.nodes, nodeIn(before, path)))
  }

  #editing(
    caller: Caller,
    { pipeline, kind }: Pick<NodePath, 'pipeline' | 'kind'>,
    edit: (state: PipelineState) => DraftNode[],
  ): Promise<PipelineState> {
    const write = () =>
      this.#pipelines.changing(caller, pipeline, state => {
        const draft = withNodes(state.draft.value, edit(state))
        const value = { ...draft, updatedAtMs: this.#ports.clock.wallMs() }
        return [replace(drafts, state.draft, value), ...routeChanges(this.#ports, state.draft, value.nodes)]
      })
    return kind === 'source' ? this.#pipelines.inTurnOfAccount(caller, write) : write()
  }

  /**
   * The node that a body asks for, all defaults in place.
   *
   * @param stored the node that is being replaced
   * @throws ProblemsError with every finding about the body
   */
  #checked(
    { draft, pipeline }: PipelineState,
    body: SentBody,
    { id, kind, generation }: Pick<DraftNode, 'id' | 'kind' | 'generation'>,
    stored?: DraftNode,
  ): DraftNode {
    const { members: sent, problems } = membersOf(body)
    const type = sent.type ?? stored?.type
    const wellTyped = (member: string) =>
      !body.findings.some(({ instancePath }) => instancePath.startsWith(member))
    if (typeof type !== 'string' || type === '') throw new ProblemsError(problems)
    const { gateway_route_id: sentRoute } = sent
    const { configuration } = this.#ports
    const { account } = pipeline.value
    problems.push(
      ...typeProblems(kind, type, stored),
      ...routeProblems(configuration, account, { kind, type }, sentRoute, stored),
    )
    const storedConfig = stored !== undefined && isSameType(stored, type) ? stored.user_config : undefined
    const previous = storedConfig === undefined ? {} : { previous: storedConfig }
    const userConfig = sent.user_config as JsonValue | undefined
    const options = { ...previous, settings: settingsFor(this.#settings, userConfig) }
    const check = wellTyped('/user_config') ? checkNode(kind, type, userConfig, options) : { problems: [] }
    if ('problems' in check) problems.push(...check.problems)
    const { title, description, inputs } = sent as NodeWrite
    const route = stored === undefined ? routeOfNew({ id, kind, type }, sentRoute) : stored.gateway_route_id
    const node: DraftNode = {
      id,
      kind,
      type,
      title: title ?? null,
      description: description ?? null,
      generation,
      user_config: 'stored' in check ? check.stored : (storedConfig ?? {}),
      inputs: wellTyped('/inputs') ? (inputs ?? []) : [],
      ...(route === undefined ? {} : { gateway_route_id: route }),
    }
    problems.push(...connectionProblems([...draft.value.nodes.filter(each => each.id !== id), node], node))
    if (problems.length > 0) throw new ProblemsError(distinct(problems))
    return node
  }
}

/** @throws ApiError 404, also when it is of another kind */
export function nodeIn({ draft }: PipelineState, { kind, node: id }: NodePath): DraftNode {
  const node = draft.value.nodes.find(each => each.id === id && each.kind === kind)
  if (node === undefined) throw notFound(`The ${kind} does not exist`)
  return node
}

/** The type never changes; an alias of it is the same (pipeline API, section 1.6 and appendix A). */
function typeProblems(kind: NodeKind, type: string, stored: DraftNode | undefined): Problem[] {
  if (stored === undefined || isSameType(stored, type)) return []
  if (canonicalTypeOf(kind, type) === undefined) return [] // The check of the type says more.
  return [
    { instancePath: '/type', message: `must stay "${stored.type}": the type of a node does not change` },
  ]
}

/** Options of one type say nothing about those of another. */
function isSameType({ kind, type: stored }: DraftNode, type: string): boolean {
  return stored === type || canonicalTypeOf(kind, stored) === canonicalTypeOf(kind, type)
}

/** The schema and the closer look can both find the same. */
function distinct(problems: readonly Problem[]): Problem[] {
  return [
    ...new Map(problems.map(problem => [`${problem.instancePath} ${problem.message}`, problem])).values(),
  ]
}
