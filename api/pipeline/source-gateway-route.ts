import { type Change, create, remove, replace } from '../../engine/configuration/configuration-log.ts'
import { deployedDocument } from '../../engine/configuration/deployed-document.ts'
import {
  accessKeys,
  type Deployment,
  type Draft,
  type DraftNode,
  deployments,
  drafts,
  type GatewayRoute,
  gatewayRoutes,
} from '../../engine/configuration/entities.ts'
import type { ConfigurationView, Entity } from '../../engine/configuration/kind.ts'
import type { Problem } from '../../engine/event/problem.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import type { JsonObject } from '../../schemas/json.ts'
import type { PipelinePorts } from './pipeline-ports.ts'

/**
 * Data that links sources with gateway routes (pipeline API, section 2.4). A write that joins or leaves a route also
 * writes the route itself, unchanged. Pipelines share routes, so one of two concurrent writers must fail.
 */

/** Place to look up the gateway routes of an account. */
export interface GatewayRoutesPlace {
  readonly configuration: ConfigurationView
  readonly account: string
}

/** A gateway route named in a request, and the member that names it. */
export interface SentGatewayRoute {
  readonly member: 'gateway_route_id' | 'shared_source_id'
  readonly id: string
}

/** The gateway route that a request names. `shared_source_id` is another name of the member; "" and null name none. */
export function sentGatewayRouteOf(sent: JsonObject): SentGatewayRoute | undefined {
  for (const member of ['gateway_route_id', 'shared_source_id'] as const) {
    const id = sent[member]
    if (typeof id === 'string' && id !== '') return { member, id }
  }
  return undefined
}

/** The gateway route of a new source: the one in the request, or a new one. Undefined for sources that pull. */
export function gatewayRouteOfNew(
  catalogue: Catalogue,
  { id, kind, type }: Pick<DraftNode, 'id' | 'kind' | 'type'>,
  sent: SentGatewayRoute | undefined,
): string | undefined {
  if (kind !== 'source' || catalogue.sourceOf(type)?.entrance !== 'gateway') return undefined
  return sent?.id ?? id
}

/**
 * Returns the problems of the gateway route that a request names.
 *
 * @param stored the node that is being replaced
 */
export function gatewayRouteProblems(
  { configuration, account }: GatewayRoutesPlace,
  catalogue: Catalogue,
  { kind, type }: Pick<DraftNode, 'kind' | 'type'>,
  sent: SentGatewayRoute | undefined,
  stored: DraftNode | undefined,
): Problem[] {
  if (sent === undefined) return []
  const refused = (message: string) => [{ instancePath: `/${sent.member}`, message }]
  const source = kind === 'source' ? catalogue.sourceOf(type) : undefined
  if (kind === 'source' && source === undefined) return [] // the check of the type reports it
  if (source?.entrance !== 'gateway') return refused('must be absent: the type has no gateway route')
  if (stored !== undefined) {
    const { gateway_route_id: gatewayRoute } = stored
    return sent.id === gatewayRoute
      ? []
      : refused(`must stay "${gatewayRoute}": the gateway route of a source does not change`)
  }
  const gatewayRoute = gatewayRouteOfAccount(configuration, account, sent.id)
  if (gatewayRoute === undefined) return refused('must be the id of a gateway route of the account')
  if (catalogue.sourceOf(gatewayRoute.value.type) === source) return []
  return refused(
    `must be the id of a gateway route of type "${source.type}": it is for "${gatewayRoute.value.type}"`,
  )
}

export function gatewayRouteOfAccount(
  configuration: ConfigurationView,
  account: string,
  id: string,
): Entity<GatewayRoute> | undefined {
  const gatewayRoute = configuration.get(gatewayRoutes, id)
  return gatewayRoute?.value.account === account ? gatewayRoute : undefined
}

/**
 * Further changes that follow from a change of a draft's nodes. A new source may create a gateway route of its own, which is
 * deleted with the last source that uses it. A route that a deployed revision reads stays until that is replaced. If a
 * restored revision brings back a source whose route was deleted, the route is created again, without access keys.
 */
export function gatewayRouteChanges(
  { configuration, clock, entropy }: Pick<PipelinePorts, 'configuration' | 'clock' | 'entropy'>,
  { id: pipeline, value: { account, nodes: before } }: Pick<Entity<Draft>, 'id' | 'value'>,
  after: readonly DraftNode[],
): Change[] {
  const come = missingIn(before, after)
  const ids = new Set([...come, ...missingIn(after, before)].map(node => node.gateway_route_id))
  return [...ids].flatMap(id => {
    if (id === undefined) return []
    const gatewayRoute = gatewayRouteOfAccount(configuration, account, id)
    const source = come.find(node => node.gateway_route_id === id)
    if (gatewayRoute === undefined) {
      if (source === undefined) return []
      const value: GatewayRoute = {
        account,
        type: source.type,
        title: source.title,
        description: null,
        consumerId: entropy.uuid(),
        madeBySource: true,
        createdAtMs: clock.wallMs(),
      }
      return [create(gatewayRoutes, id, value)]
    }
    if (after.some(node => node.gateway_route_id === id)) return [touched(gatewayRoute)]
    return leaving(configuration, gatewayRoute, { draft: pipeline })
  })
}

/** Changes that publishing adds: gateway routes that are no longer read are deleted. */
export function gatewayRouteChangesOfPublishing(
  configuration: ConfigurationView,
  deployment: Entity<Deployment> | undefined,
  { value: { account, nodes } }: Pick<Entity<Draft>, 'value'>,
): Change[] {
  const kept = new Set(nodes.map(node => node.gateway_route_id))
  const ids = deployedGatewayRoutes(configuration, deployment).filter(id => !kept.has(id))
  return existing(configuration, account, ids).flatMap(gatewayRoute =>
    leaving(configuration, gatewayRoute, { deployment: (deployment as Entity<Deployment>).id }),
  )
}

/** Changes that the deletion of a pipeline adds. */
export function gatewayRouteChangesOfDeletion(
  configuration: ConfigurationView,
  deployment: Entity<Deployment> | undefined,
  { id, value: { account, nodes } }: Pick<Entity<Draft>, 'id' | 'value'>,
): Change[] {
  const ids = new Set(nodes.flatMap(node => node.gateway_route_id ?? []))
  for (const gatewayRoute of deployedGatewayRoutes(configuration, deployment)) ids.add(gatewayRoute)
  return existing(configuration, account, ids).flatMap(gatewayRoute =>
    leaving(configuration, gatewayRoute, { draft: id, deployment: id }),
  )
}

function existing(
  configuration: ConfigurationView,
  account: string,
  ids: Iterable<string>,
): Entity<GatewayRoute>[] {
  return [...ids].flatMap(id => gatewayRouteOfAccount(configuration, account, id) ?? [])
}

/** A gateway route that a source created is deleted with the last source that uses it. */
function leaving(
  configuration: ConfigurationView,
  gatewayRoute: Entity<GatewayRoute>,
  except: Except,
): Change[] {
  const isLeft = gatewayRoute.value.madeBySource && usedBy(configuration, gatewayRoute, except) === undefined
  return isLeft ? removing(configuration, gatewayRoute) : [touched(gatewayRoute)]
}

/** Removes a gateway route with its access keys. */
export function removing(configuration: ConfigurationView, gatewayRoute: Entity<GatewayRoute>): Change[] {
  const keys = configuration
    .list(accessKeys, gatewayRoute.value.account)
    .filter(({ value }) => value.gatewayRoute === gatewayRoute.id)
  return [remove(gatewayRoutes, gatewayRoute), ...keys.map(key => remove(accessKeys, key))]
}

/** Writes a gateway route unchanged. */
export function touched(gatewayRoute: Entity<GatewayRoute>): Change {
  return replace(gatewayRoutes, gatewayRoute, gatewayRoute.value)
}

/** Ids of pipelines whose draft, or whose deployment, is left out. */
interface Except {
  readonly draft?: string
  readonly deployment?: string
}

/** Returns the use of the gateway route by a source of a pipeline of the account; undefined: it is not used. */
export function usedBy(
  configuration: ConfigurationView,
  { id, value: { account } }: Entity<GatewayRoute>,
  except: Except = {},
): 'draft' | 'deployment' | undefined {
  const inDraft = configuration
    .list(drafts, account)
    .some(draft => draft.id !== except.draft && draft.value.nodes.some(node => node.gateway_route_id === id))
  if (inDraft) return 'draft'
  const isDeployed = configuration
    .list(deployments, account)
    .some(each => each.id !== except.deployment && deployedGatewayRoutes(configuration, each).includes(id))
  return isDeployed ? 'deployment' : undefined
}

/** Ids of the gateway routes that a deployed revision reads. */
function deployedGatewayRoutes(
  configuration: ConfigurationView,
  deployment: Entity<Deployment> | undefined,
): string[] {
  const document = deployedDocument(configuration, deployment?.value.revisionId)
  return document?.nodes.flatMap(node => node.gateway_route_id ?? []) ?? []
}

/** The nodes of `others` that are not among `nodes`. */
function missingIn(nodes: readonly DraftNode[], others: readonly DraftNode[]): DraftNode[] {
  const ids = new Set(nodes.map(({ id }) => id))
  return others.filter(({ id }) => !ids.has(id))
}
