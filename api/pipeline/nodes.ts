import { replace } from '../../engine/configuration/configuration-log.ts'
import { type DraftNode, drafts } from '../../engine/configuration/entities.ts'
import { partsWithExpressions } from '../../engine/graph/expression-limit.ts'
import { tooManyUnknownOptions } from '../../engine/nodes/contract/check-node.ts'
import type { NodeSettings } from '../../engine/nodes/contract/node-declaration.ts'
import type { JsonObject } from '../../schemas/json.ts'
import type { Caller } from '../auth/caller.ts'
import { notFound } from '../http/errors.ts'
import { ProblemsError } from '../http/problems-error.ts'
import { checkedNode } from './checked-node.ts'
import { connectionProblems, withNode, withNodeReplaced, withNodes, withoutNode } from './draft-edit.ts'
import type { NodeKind } from './links.ts'
import { assertOptionLimits } from './option-limits.ts'
import type { PipelinePorts } from './pipeline-ports.ts'
import type { PipelineState, Pipelines } from './pipelines.ts'
import { membersOf, type SentBody } from './sent-body.ts'
import { gatewayRouteChanges } from './source-gateway-route.ts'

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

  /** @throws ApiError 404, also when the node is of another kind or pipeline */
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
        this.#ports.catalogue,
        before.draft.value.nodes,
        this.#checked(before, body, { id, kind, generation: generation + 1 }, stored),
      )
    })
    return { node: nodeIn(state, path), state }
  }

  async delete(caller: Caller, path: NodePath): Promise<void> {
    await this.#editing(caller, path, before =>
      withoutNode(this.#ports.catalogue, before.draft.value.nodes, nodeIn(before, path)),
    )
  }

  #editing(
    caller: Caller,
    { pipeline, kind }: Pick<NodePath, 'pipeline' | 'kind'>,
    edit: (state: PipelineState) => DraftNode[],
  ): Promise<PipelineState> {
    const write = () =>
      this.#pipelines.changing(caller, pipeline, state => {
        const draft = withNodes(this.#ports.catalogue, state.draft.value, edit(state))
        const value = { ...draft, updatedAtMs: this.#ports.clock.wallMs() }
        return [
          replace(drafts, state.draft, value),
          ...gatewayRouteChanges(this.#ports, state.draft, value.nodes),
        ]
      })
    return kind === 'source' ? this.#pipelines.inTurnOfAccount(caller, write) : write()
  }

  /**
   * Returns the node that a body describes, with all defaults.
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
    const { catalogue, configuration } = this.#ports
    const { members, problems } = membersOf(body)
    const type = members.type ?? stored?.type
    if (typeof type !== 'string' || type === '') throw new ProblemsError(problems)
    const unknown = tooManyUnknownOptions(catalogue, kind, type, members.user_config)
    if (unknown.length > 0) throw new ProblemsError([...problems, ...unknown])
    const others = draft.value.nodes.filter(each => each.id !== id)
    assertOptionLimits(
      '/user_config',
      [...partsWithExpressions({ ...draft.value, nodes: others }), members.user_config ?? {}],
      partsWithExpressions(draft.value),
    )
    const isWellTyped = (member: string) =>
      !body.findings.some(({ instancePath }) => instancePath.startsWith(`/${member}`))
    const gatewayRoutes = { configuration, account: pipeline.value.account }
    // Copying an object with very many members takes long.
    const sent = (members.type === type ? members : { ...members, type }) as JsonObject & {
      readonly type: string
    }
    const place = { id, kind, generation, stored }
    const { node, problems: found } = checkedNode(sent, place, {
      catalogue,
      settings: this.#settings,
      gatewayRoutes,
      isWellTyped,
    })
    const all = [...problems, ...found, ...connectionProblems(catalogue, [...others, node], node)]
    if (all.length > 0) throw new ProblemsError(all)
    return node
  }
}

/** @throws ApiError 404, also when the node is of another kind */
export function nodeIn({ draft }: PipelineState, { kind, node: id }: NodePath): DraftNode {
  const node = draft.value.nodes.find(each => each.id === id && each.kind === kind)
  if (node === undefined) throw notFound(`The ${kind} does not exist`)
  return node
}
