import type { DraftNode } from '../../engine/configuration/entities.ts'
import type { Problem } from '../../engine/event/problem.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import { checkNode } from '../../engine/nodes/contract/check-node.ts'
import type { NodeSettings } from '../../engine/nodes/contract/node-declaration.ts'
import type { NodeWrite } from '../../schemas/http/pipeline/pipeline-api.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import type { NodeKind } from './links.ts'
import { named } from './revisions/revision.ts'
import {
  type GatewayRoutesPlace,
  gatewayRouteOfNew,
  gatewayRouteProblems,
  sentGatewayRouteOf,
} from './source-gateway-route.ts'

/** Position of the node in the pipeline. */
export interface NodePlace extends Pick<DraftNode, 'id' | 'kind' | 'generation' | 'name'> {
  /** The node that is being replaced. */
  readonly stored: DraftNode | undefined
}

export interface NodeRules {
  readonly catalogue: Catalogue
  readonly settings: NodeSettings
  /** View that looks up gateway routes; absent: their existence is not checked. */
  readonly gatewayRoutes: GatewayRoutesPlace | undefined
  /** Whether the request's schema found nothing about a member. */
  readonly isWellTyped: (member: string) => boolean
}

/**
 * Returns the node that a write requests, with all defaults in place, and every finding about it. Findings that the
 * request's schema reports are left out, and so are those about connections with other nodes.
 *
 * @param sent members of a node as it is written; badly typed members may have any type
 */
export function checkedNode(
  sent: JsonObject & { readonly type: string },
  { id, kind, generation, stored, name = stored?.name }: NodePlace,
  { catalogue, settings, gatewayRoutes, isWellTyped }: NodeRules,
): { readonly node: DraftNode; readonly problems: Problem[] } {
  const { type } = sent
  const sentGatewayRoute = sentGatewayRouteOf(sent)
  const problems = typeProblems(catalogue, kind, type, stored)
  if (gatewayRoutes !== undefined)
    problems.push(...gatewayRouteProblems(gatewayRoutes, catalogue, { kind, type }, sentGatewayRoute, stored))
  const storedConfig =
    stored !== undefined && isSameType(catalogue, stored, type) ? stored.user_config : undefined
  const previous = storedConfig === undefined ? {} : { previous: storedConfig }
  const userConfig = sent.user_config as JsonValue | undefined
  const options = { ...previous, settings }
  const check = isWellTyped('user_config')
    ? checkNode(catalogue, kind, type, userConfig, options)
    : { problems: [] }
  if ('problems' in check) for (const problem of check.problems) problems.push(problem)
  const { title, description, inputs } = sent as NodeWrite
  const gatewayRoute =
    stored === undefined
      ? gatewayRouteOfNew(catalogue, { id, kind, type }, sentGatewayRoute)
      : stored.gateway_route_id
  const node: DraftNode = {
    id,
    kind,
    type,
    title: title ?? null,
    description: description ?? null,
    generation,
    user_config: 'stored' in check ? check.stored : (storedConfig ?? {}),
    inputs: isWellTyped('inputs') ? (inputs ?? []) : [],
    ...(gatewayRoute === undefined ? {} : { gateway_route_id: gatewayRoute }),
    ...named(name),
  }
  return { node, problems }
}

/** Checks that the type did not change; an alias is the same type (pipeline API, section 1.6 and appendix A). */
function typeProblems(
  catalogue: Catalogue,
  kind: NodeKind,
  type: string,
  stored: DraftNode | undefined,
): Problem[] {
  if (stored === undefined || isSameType(catalogue, stored, type)) return []
  if (catalogue.canonicalTypeOf(kind, type) === undefined) return [] // the check of the type reports it
  return [
    { instancePath: '/type', message: `must stay "${stored.type}": the type of a node does not change` },
  ]
}

/** Options of one type have no meaning for another type. */
function isSameType(catalogue: Catalogue, { kind, type: stored }: DraftNode, type: string): boolean {
  return stored === type || catalogue.canonicalTypeOf(kind, stored) === catalogue.canonicalTypeOf(kind, type)
}
